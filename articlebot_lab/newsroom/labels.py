"""The fixed words of the sites' pages: navigation, bylines, advertisements, relative dates."""

from __future__ import annotations

TOPIC_NAMES: dict[str, dict[str, str]] = {
    "zh": {
        "sport": "体育",
        "economy": "财经",
        "politics": "时政",
        "science": "科学",
        "weather": "天气",
        "culture": "文化",
        "technology": "科技",
        "health": "健康",
    },
    "en": {
        "sport": "Sport",
        "economy": "Business",
        "politics": "Politics",
        "science": "Science",
        "weather": "Weather",
        "culture": "Culture",
        "technology": "Technology",
        "health": "Health",
    },
}
WORDS: dict[str, dict[str, str]] = {
    "zh": {
        "login": "登录",
        "about": "关于我们",
        "contact": "联系我们",
        "text": "正文",
        "source": "来源：",
        "author": "作者：",
        "views": "阅读",
        "editor": "责任编辑：",
        "share": "分享到微信",
        "hot": "热门推荐",
        "ad": "广告",
        "visitor": "您是第几位访客：",
        "subscribe": "订阅",
        "print": "打印",
        "close": "关闭窗口",
        "comments": "条评论",
        "published": "发布时间：",
        "statement": "声明：本网站刊载内容仅供参考，转载请注明出处。",
        "online": "在线人数：",
        "next": "下一页",
        "previous": "上一页",
        "front": "首页",
        "papers": "资料下载",
        "latest": "最新消息",
        "empty": "暂无内容",
        "gone": "内容已删除",
    },
    "en": {
        "login": "Sign in",
        "about": "About us",
        "contact": "Contact",
        "text": "Article",
        "source": "Source: ",
        "author": "By ",
        "views": "Views",
        "editor": "Edited by ",
        "share": "Share this page",
        "hot": "Most read",
        "ad": "Advertisement",
        "visitor": "You are visitor number",
        "subscribe": "Subscribe to our newsletter",
        "print": "Print",
        "close": "Close",
        "comments": "comments",
        "published": "Published: ",
        "statement": "All rights reserved. Do not reproduce without permission.",
        "online": "Readers online: ",
        "next": "Next page",
        "previous": "Previous page",
        "front": "Home",
        "papers": "Papers",
        "latest": "Latest",
        "empty": "Nothing here yet",
        "gone": "This article has been removed",
    },
}
ADS: dict[str, tuple[str, ...]] = {
    "zh": (
        "秋冬家电满减,限时三天",
        "周末温泉酒店特价预订",
        "学英语,每天十分钟",
        "新车试驾,到店有礼",
        "家装节开幕,免费量房",
    ),
    "en": (
        "Half price on garden chairs",
        "Compare broadband deals today",
        "Learn Italian in ten minutes a day",
        "Two nights by the sea from £99",
    ),
}
EDITORS: dict[str, tuple[str, ...]] = {
    "zh": ("钱一民", "孙小桃", "李长庚", "周慕云"),
    "en": ("Desk A", "Night desk", "Weekend desk", "Online desk"),
}


def relative_date(age: float, absolute: str) -> str:
    """A Chinese relative date for an age in seconds; ``absolute`` from one day on."""
    if age < 60:
        return "刚刚"
    if age < 3600:
        return f"{int(age // 60)}分钟前"
    if age < 86400:
        return f"{int(age // 3600)}小时前"
    return absolute
