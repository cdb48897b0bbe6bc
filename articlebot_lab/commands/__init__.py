"""Commands of the laboratory; Scrapy finds them by the entry points of articlebot-lab."""
