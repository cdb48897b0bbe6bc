"""What people are told of: events that begin and end, each told once in the whole cluster, by webhook or command."""

from articlebot.alerts.channels import Channel, Command, Webhook
from articlebot.alerts.freshness import Measured, Objective, is_breached, measure, objectives, percentile
from articlebot.alerts.messages import Message, found_message, message_of, text_of
from articlebot.alerts.quiet import silent_jobs
from articlebot.alerts.store import Alert, Due, RedisAlerts, Standing

__all__ = [
    "Alert", "Channel", "Command", "Due", "Measured", "Message", "Objective", "RedisAlerts", "Standing", "Webhook",
    "found_message", "is_breached", "measure", "message_of", "objectives", "percentile", "silent_jobs", "text_of",
]  # fmt: skip
