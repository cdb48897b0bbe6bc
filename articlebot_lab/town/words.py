"""Text for the town's articles: sentences put together from small lexicons, Chinese and English."""

from __future__ import annotations

import random
from collections.abc import Sequence

_EN: dict[str, list[str]] = {
    "place": (
        "Aldermoor|Brackwater|Carrow Hill|Dunmere|Eastlock|Fenwick Bay|Garrowby|Hollin Cross|Inverley|Kestrel Point|Larkhaven|"
        "Millbeck|Northgate|Otterburn|Pennyfield|Quayside|Rookhope|Stanwell|Thornmouth|Ullerton|Westmarch|Yarrow Bridge"
    ).split("|"),
    "org": (
        "the county council|the harbour board|the transport authority|the teachers' union|the regional hospital|the water company|"
        "the school district|the planning committee|the chamber of commerce|the fisheries office|the housing agency|the bus operator|"
        "the university press office|the farmers' cooperative|the coast guard|the library trust|the energy regulator|the city museum|"
        "the orchestra's board|the tenants' association|the statistics office|the football league|the parks department|the airport"
    ).split("|"),
    "first": (
        "Anna|Bertram|Clara|Dominic|Edith|Farid|Greta|Hassan|Imogen|Jonas|Katya|Leon|Mireille|Nadia|Oskar|Priya|Quentin|Rosa|Stefan|"
        "Tamsin|Ulrich|Vera|Winston|Yusuf|Zelda"
    ).split("|"),
    "last": (
        "Abbott|Bramley|Castellan|Dray|Ellwood|Fontaine|Grieve|Halloran|Ibsen|Jessop|Kowal|Lindqvist|Marsh|Novak|Oduya|Pereira|Quill|"
        "Rasmussen|Sato|Tully|Underhill|Voss|Whitlock|Yates|Zeman"
    ).split("|"),
    "thing": (
        "ferry terminal|tram extension|reading programme|flood barrier|heating grid|night bus|pension plan|wind farm|school kitchen|"
        "market hall|cycle path|apprenticeship scheme|cancer ward|fishing quota|rent ceiling|sewage plant|film festival|bridge repair|"
        "youth orchestra|data centre|timber yard|swimming pool|vaccination drive|harbour wall|grain store|railway depot|budget office"
    ).split("|"),
    "adj": (
        "long-delayed|modest|contested|twelve-year-old|half-built|publicly owned|over-subscribed|much-discussed|temporary|revised|"
        "expensive|popular|neglected|experimental|privately funded|seasonal|restored|second|crowded|unfinished"
    ).split("|"),
    "did": (
        "approved|postponed|questioned|inspected|rejected|praised|reopened|audited|expanded|scrapped|defended|redesigned|measured|"
        "surveyed|leased|insured|renamed|halved|doubled|endorsed|challenged|modernised|relocated|subsidised"
    ).split("|"),
    "now": (
        "approves|postpones|questions|inspects|rejects|reopens|audits|expands|scraps|defends|redesigns|leases|halves|doubles|"
        "endorses|challenges|modernises|relocates|subsidises"
    ).split("|"),
    "tail": (
        "despite a shortage of engineers|after {n} months of talks|at a cost of {n} million|before the winter timetable begins|"
        "with help from volunteers in {place}|against the advice of its own lawyers|in time for the spring fair|without a public hearing|"
        "because demand rose by {n} per cent|while neighbours in {place} looked on|under a contract that runs for {n} years|"
        "following complaints from {n} households|as prices in {place} kept falling|on the condition that {org} agrees"
    ).split("|"),
    "lead": (
        "On {day} morning|Late on {day}|According to minutes seen by this newspaper|For the first time since {year}|In {place}|"
        "Two weeks earlier|By the end of the quarter|Asked about the delay|In a letter to residents|At a meeting in {place}|"
        "Once the snow had cleared|To general surprise|As in {year}|Under pressure from {org}"
    ).split("|"),
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "role": (
        "who chairs the review|a nurse from {place}|an engineer by training|the longest-serving member|a retired teacher|who drew up the plan|"
        "its treasurer|the deputy head|a shopkeeper in {place}|who voted against it"
    ).split("|"),
    "said": "said|told reporters|argued|recalled|warned|insisted|conceded|wrote later".split("|"),
    "view": (
        "the {thing} would pay for itself within {n} years|nobody had expected {n} applications|the {adj} {thing} had outlived its purpose|"
        "{org} ought to have asked {place} first|the figures from {year} no longer hold|there were {n} good reasons to wait|"
        "a smaller {thing} would have served {place} better|the {thing} was never meant for {n} families|{org} had kept its word"
    ).split("|"),
    "title": [
        "{Org} {now} {place} {thing} {tail}",
        "{place} {thing}: why {org} {now} it",
        "{n} questions about the {place} {thing}",
        "{Org} {now} {adj} {thing} in {place}",
    ],
    "sentence": [
        "{Lead}, {org} {did} the {adj} {thing} {tail}.",
        "{name}, {role}, {said} that {view}.",
        "The {adj} {thing} in {place} was {did} by {org} {tail}.",
        "“{View},” {said} {name}, {role}. {Lead}, {org} {did} it {tail}.",
        "{Org} {did} the {thing}, and {org} {did} another {adj} one {tail}.",
    ],
}  # fmt: skip
_ZH: dict[str, list[str]] = {
    "place": "临溪|云桥|沙河口|青岚|望江|白石|柳林|永宁|东浦|南坪|松岗|清源|石门|凤台|安澜|梅岭|渡口|锦屏|双桥|长堤|新圩|岭南|荷塘|平湖".split("|"),
    "org": (
        "市水务局|区教育局|港务集团|市轨道公司|农业合作社|市图书馆|县人民医院|住建部门|市供热公司|环保协会|统计部门|市博物馆|公交集团|渔业管理站|"
        "高新区管委会|市场监管部门|文化馆|气象台|消防救援支队|街道办事处|职业技术学院|海事部门"
    ).split("|"),
    "last": "陈|林|周|徐|孙|胡|郭|何|罗|梁|宋|郑|谢|韩|唐|冯|于|董|萧|程|曹|袁|邓|许|傅|沈|曾|彭|吕".split("|"),
    "first": "建国|晓燕|志强|雨桐|文博|丽华|海涛|思远|明珠|立新|春梅|子涵|国栋|静怡|永康|秋实|若兰|一鸣|佳宁|宏伟".split("|"),
    "thing": (
        "旧城供水管网|滨江步道|社区食堂|跨河大桥|乡村图书室|智慧停车系统|夜间公交线路|防洪堤坝|集中供暖项目|职工技能培训|农产品冷链仓库|"
        "儿童医院新院区|污水处理厂|风电项目|老旧电梯改造|湿地公园|码头扩建工程|校园体育馆|数字档案馆|渔港避风塘|非遗工坊|创业孵化基地|应急避难场所"
    ).split("|"),
    "adj": "备受关注的|历时{n}个月的|投资{n}亿元的|试点推行的|延期两次的|由居民提议的|全省首个|重新设计的|面向基层的|占地{n}亩的|争议不断的|即将完工的".split("|"),
    "did": "启动了|暂缓了|验收了|公示了|调整了|扩建了|通过了|叫停了|评估了|复查了|升级了|移交了|检修了|补贴了|推广了|论证了".split("|"),
    "now": "启动|暂缓|验收|公示|调整|扩建|通过|叫停|评估|升级|移交|检修|推广".split("|"),
    "lead": (
        "{day}上午|据{org}介绍|与{year}年相比|在{place}|记者从{org}获悉|入冬以来|按照原定计划|经过{n}轮协商|面对居民的疑问|今年前{n}个月|"
        "在日前召开的听证会上|随着{place}片区人口增加|{n}天之后"
    ).split("|"),
    "tail": (
        "惠及{place}等地{n}万居民|预计可节约资金{n}百万元|比去年同期提前了{n}天|并将在{place}先行试用|整个过程接受{org}监督|"
        "但仍有{n}户居民提出不同意见|由此带动{place}一带的客流增长|相关费用由{org}承担|后续进展将每{n}天公布一次|目前已完成工程量的{n}%"
    ).split("|"),
    "day": "周一|周二|周三|周四|周五|周六|周日".split("|"),
    "role": "项目负责人|社区工作者|一线工程师|退休教师|参与设计的专家|{place}居民|值班医生|人大代表|摊主代表|志愿者队长".split("|"),
    "said": "表示|告诉记者|认为|回忆说|坦言|强调|补充说".split("|"),
    "view": (
        "{thing}至少能用{n}年|没有想到会收到{n}份申请|{adj}{thing}早就该改了|{org}应当先听听{place}群众的意见|{year}年的数据已经不能说明问题|"
        "再等{n}个月也是值得的|规模小一些的{thing}更适合{place}|最难的是协调{n}家单位|{org}这次兑现了承诺"
    ).split("|"),
    "title": [
        "{place}{now}{adj}{thing}，{tail}",
        "{org}{now}{thing}：{view}",
        "{n}亿元！{place}{thing}由{org}{now}",
        "{thing}为何{now}？{org}回应{place}居民",
    ],
    "sentence": [
        "{lead}，{org}{did}{adj}{thing}，{tail}。",
        "{role}{name}{said}，{view}，而{view}。",
        "{place}的{thing}{tail}，{org}也{did}{place}的{thing}。",
        "“{view}，”{name}{said}，“{view}。”",
    ],
}  # fmt: skip


class Writer:
    """Writes articles in one language: ``zh`` or ``en``."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng, self.language = rng, language
        self._words = _ZH if language == "zh" else _EN
        self._titles: set[str] = set()

    def name(self) -> str:
        """A person's name."""
        first, last = self._pick("first"), self._pick("last")
        return last + first if self.language == "zh" else f"{first} {last}"

    def title(self) -> str:
        """A headline that this writer has not used before."""
        patterns = self._words["title"]
        while True:
            title = self._fill(self.rng.choice(patterns)).removeprefix("The ")
            title = title[0].upper() + title[1:]
            if title not in self._titles and 14 <= len(title) <= 110:
                self._titles.add(title)
                return title

    def paragraphs(self, fewest: int = 4, most: int = 9) -> tuple[str, ...]:
        """Several paragraphs of unlike length."""
        return tuple(self.paragraph() for _ in range(self.rng.randint(fewest, most)))

    def paragraph(self) -> str:
        """Two to four sentences."""
        joint = "" if self.language == "zh" else " "
        return joint.join(self.sentence() for _ in range(self.rng.randint(2, 4)))

    def sentence(self) -> str:
        """One sentence."""
        return self._fill(self._pick("sentence"))

    def _pick(self, kind: str) -> str:
        return self.rng.choice(self._words[kind])

    def _fill(self, pattern: str) -> str:
        out: list[str] = []
        rest = pattern
        while "{" in rest:
            before, _, rest = rest.partition("{")
            slot, _, rest = rest.partition("}")
            out += [before, self._slot(slot)]
        return "".join([*out, rest])

    def _slot(self, slot: str) -> str:
        if slot == "n":
            return str(self.rng.randint(3, 96))
        if slot == "year":
            return str(self.rng.randint(1998, 2024))
        if slot == "name":
            return self.name()
        text = self._fill(self._pick(slot.lower()))
        return text[0].upper() + text[1:] if slot[0].isupper() else text


def slug(title: str, words: int = 8) -> str:
    """An English headline as a path segment."""
    kept = "".join(ch if ch.isalnum() else " " for ch in title.lower().replace("'", "")).split()
    return "-".join(kept[:words])


def cut(paragraphs: Sequence[str], length: int) -> str:
    """The first characters of a text, with an ellipsis."""
    return paragraphs[0][:length] + "…"
