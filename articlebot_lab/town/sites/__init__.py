"""The sites of the town, by name."""

from __future__ import annotations

from articlebot_lab.town.model import Site
from articlebot_lab.town.sites.asked import Flashes, Graph, Posted, Sessions
from articlebot_lab.town.sites.calendar import Calendar
from articlebot_lab.town.sites.datearchive import DateArchive
from articlebot_lab.town.sites.dedecms import DedeCms
from articlebot_lab.town.sites.discuz import Discuz
from articlebot_lab.town.sites.drupal import Drupal
from articlebot_lab.town.sites.ghost import Ghost
from articlebot_lab.town.sites.hidden import Choices, Modules, Neighbours, Postback
from articlebot_lab.town.sites.hugo import Hugo
from articlebot_lab.town.sites.loadmore import LoadMore
from articlebot_lab.town.sites.manners import Manners, Members
from articlebot_lab.town.sites.media import Media
from articlebot_lab.town.sites.multipage import MultiPage
from articlebot_lab.town.sites.nextjs import NextJs
from articlebot_lab.town.sites.nuxt import Nuxt
from articlebot_lab.town.sites.phpcms import PhpCms
from articlebot_lab.town.sites.servers import Consent, Hasty, Lying, Overloaded
from articlebot_lab.town.sites.shell import Shell
from articlebot_lab.town.sites.trs import Trs
from articlebot_lab.town.sites.twins import Reprints, Twins
from articlebot_lab.town.sites.wordpress import WordPress

SITES: dict[str, type[Site]] = {
    site.name: site
    for site in (
        WordPress, Hugo, Ghost, Drupal, DedeCms, PhpCms, Trs, Discuz, NextJs, Nuxt, Shell, LoadMore, DateArchive, MultiPage,
        Calendar, Twins, Reprints, Media, Manners, Members, Consent, Hasty, Overloaded, Lying, Posted, Graph, Sessions, Flashes,
        Neighbours, Postback, Modules, Choices,
    )
}  # fmt: skip
