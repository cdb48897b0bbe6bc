"""What each command does. What a user may type is declared in ``articlebot/commands``, which Scrapy imports whole for
every command; a module of this package is imported when its command runs.
"""
