"""What all parts of the API share: who asks, of which console, and models that have more fields."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Path, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict

from articlebot.console.view import Console
from articlebot.console.who import Role, Who


class Sent(BaseModel):
    """What is sent to the console has these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Open(BaseModel):
    """What is sent has these fields, and may have more."""

    model_config = ConfigDict(extra="allow")


def _needs(role: Role) -> Callable[[Request], Who]:
    def who(request: Request) -> Who:
        found: Who = request.state.who
        if not found.may(role):
            raise HTTPException(403, f"this needs a token with the role {role}; {found.name} has {found.role}")
        return found

    return who


def only_known(request: Request) -> None:
    """Refuses parameters that a route does not have: with a filter that is misspelt everything would be found."""
    known = {one.alias for one in request.scope["route"].dependant.query_params}
    if unknown := request.query_params.keys() - known:
        name = min(unknown)
        said = f"no such parameter; there are: {', '.join(sorted(known)) or 'none'}"
        raise RequestValidationError([{"type": "extra_forbidden", "loc": ("query", name), "msg": said, "input": None}])


Asked = Annotated[Console, Depends(Console.of)]
Editor = Annotated[Who, Depends(_needs("edit"))]
Name = Annotated[str, Path(max_length=100)]
# Path, what answers, method, and the heading in the description.
Route = tuple[str, Callable[..., Awaitable[Any]], str, str]
