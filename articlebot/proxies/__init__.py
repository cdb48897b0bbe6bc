"""Proxies: gathered from lists, proven before they are used, judged by each outcome, shared by all workers."""

from articlebot.proxies.pool import DIRECT, Pool
from articlebot.proxies.proxy import Proxy
from articlebot.proxies.store import RedisProxies
from articlebot.proxies.verdict import Verdict, verdict

__all__ = ["DIRECT", "Pool", "Proxy", "RedisProxies", "Verdict", "verdict"]
