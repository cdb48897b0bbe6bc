"""Lines that stand among the text of articles everywhere and belong to none of them: offers, pointers, who may do what.

A classifier meets each wording too seldom to know it, and what an article says is hardly ever worded so.
"""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from typing import Final

_MAX_CHARS: Final = 600
_ACTS = "using|continuing|signing|clicking|subscribing|submitting|registering|creating|entering|providing"
_NOTICE: Final = re.compile(
    r"^\W*(?:"
    r"(?:sign[ -]?up|subscribe|register|log ?in|sign[ -]?in) (?:here |now |today )?(?:to|for|now|here|today|and)\b"
    r"|(?:click|go) here (?:to|for)\b"
    r"|(?:read more|read also|see also|also read|related|recommended|more on|watch|listen|must read|don't miss|required reading|more|read)\s*[:»>|]"
    r"|(?:follow|like|find|join) (?:us|him|her|me|\w+ \w+) on\b"
    r"|(?:reach|contact|e-?mail|write to|send) .{0,60}(?:@| at )"
    r"|(?:photos?|images?|pictures?|credit|photograph|illustration|foto|bild)\s*(?:by|credit|:|/|©)"
    r"|(?:for )?more information\s*:|for more (?:information|details|stories|news|on this),? "
    r"|this (?:story|article|post) (?:was |has been )?(?:originally |first )?(?:published|posted|updated|appeared) (?:on|at|in|\w+ \d)"
    r"|(?:do you have a (?:story|tip|question)|got a (?:tip|story)|have a (?:tip|story)|send us|tell us|let us know|share your)\b"
    r"|leave a (?:comment|reply)|post a comment|comments? (?:are|is) (?:closed|off)|be the first to comment|view (?:all )?comments|join the conversation"
    r"|(?:tags|topics|filed under|categories|keywords|schlagwörter|标签|標籤|关键词)\s*[:：]"
    r"|share (?:this|on|via|article)\b|(?:tweet|pin|print|email) this\b"
    r"|(?:lesen sie (?:auch|hier|dazu|mehr)|mehr (?:zum thema|dazu|lesen)|auch interessant|lire aussi|à lire|voir aussi|lee también|lea también|leer más|leia (?:também|mais)|leggi anche|lees ook|läs (?:också|mer)|les også)\b"
    r")"
    rf"|\bby (?:{_ACTS})\b.{{0,80}}\byou (?:\w+ )?(?:agree|consent|acknowledge|accept)"
    r"|\b(?:we|site|publisher) (?:may|might|will|can) (?:\w+ )?(?:receive|earn|get|collect)\b.{0,60}\b(?:compensation|commissions?|share|revenue|fee)"
    r"|\bsign up (?:for|to)\b.{0,40}\b(?:newsletter|alerts?|e-?mails?|daily|weekly|updates)"
    r"|\bfollow (?:him|her|us|me|them) on (?:twitter|facebook|instagram|x)"
    r"|newsletter.{0,40}(?:abonnier|anmeld|bestell)|abonnez|inscrivez|suscr[ií]b|iscriviti|inscreva"
    r"|扫(?:一扫|码|描).{0,20}(?:关注|下载|二维码|微信)|关注.{0,12}(?:公众号|微信号)|未经(?:书面|本网|本报|本站)?.{0,6}(?:授权|许可).{0,12}(?:不得|禁止|转载)",
    re.I,
)
# Case tells a name here, and nothing else does.
_ABOUT_THE_AUTHOR: Final = re.compile(
    r"^\W*[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){1,3},? is (?:a|an|the) .{0,80}\b(?:reporter|writer|editor|correspondent|columnist|journalist|contributor|fellow|professor)\b"
)


def is_notice(text: str) -> bool:
    """Whether a line is an offer, a pointer elsewhere, a condition of use or about the author; no long ones are."""
    return len(text) <= _MAX_CHARS and bool(_NOTICE.search(text) or _ABOUT_THE_AUTHOR.match(text))
