"""GoogleSQL in terms of DuckDB: which statements are computed, and how they are said there.

Only what is listed here is computed. What means something else in DuckDB is said in another way,
and everything else is refused with its place in the text, so that no query answers what the
service would not.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError, TokenError, UnsupportedError

from mockserver.apis.bigquery.errors import QueryError, invalid_query
from mockserver.apis.bigquery.values import (
    STANDARD_NAMES,
    ValueRefusedError,
    is_repeated,
    read_value,
    type_of,
)
from mockserver.model import JsonMapping, JsonObject

_MOST_TEXT, _DEEPEST = 1_000_000, 200
_STRUCTURE = (
    exp.Alias, exp.And, exp.Array, exp.Between, exp.Boolean, exp.Bracket, exp.ByteString, exp.CTE,
    exp.Case, exp.Cast, exp.Column, exp.ColumnDef, exp.Concat, exp.DPipe, exp.DataType,
    exp.Distinct, exp.Div, exp.Dot, exp.EQ, exp.Escape, exp.Except, exp.Exists, exp.From, exp.GT,
    exp.GTE, exp.Group, exp.Having, exp.HexString, exp.Identifier, exp.If, exp.IgnoreNulls, exp.In,
    exp.Intersect, exp.Interval, exp.Is, exp.Join, exp.LT, exp.LTE, exp.Like, exp.Limit,
    exp.Literal, exp.Mul, exp.NEQ, exp.Neg, exp.Not, exp.Null, exp.NullSafeEQ, exp.NullSafeNEQ,
    exp.Offset, exp.Or, exp.Order, exp.Ordered, exp.Add, exp.Sub, exp.Parameter, exp.Paren,
    exp.Placeholder, exp.PropertyEQ, exp.Qualify, exp.RawString, exp.RespectNulls, exp.Rollup,
    exp.Select, exp.Star, exp.Struct, exp.Subquery, exp.Table, exp.TableAlias, exp.TryCast,
    exp.Tuple, exp.Union, exp.Unnest, exp.Var, exp.Where, exp.Window, exp.WindowSpec, exp.With,
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.Values, exp.When, exp.Whens,
    exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Schema, exp.JSONPath, exp.JSONPathKey,
    exp.JSONPathRoot, exp.JSONPathSubscript, exp.RegexpLike, exp.DataTypeParam,
)  # fmt: skip
_FUNCTIONS = (
    exp.Abs, exp.AnyValue, exp.ApproxDistinct, exp.ArrayAgg, exp.ArrayConcat, exp.ArraySize,
    exp.ArrayReverse, exp.ArrayToString, exp.Avg, exp.Ceil, exp.Coalesce, exp.Count, exp.CountIf,
    exp.CumeDist, exp.CurrentDate, exp.CurrentDatetime, exp.CurrentTime, exp.CurrentTimestamp,
    exp.Date, exp.DateAdd, exp.DateDiff, exp.DateSub, exp.DateTrunc, exp.DatetimeAdd,
    exp.DatetimeSub, exp.DenseRank, exp.EndsWith, exp.Exp, exp.Extract, exp.FirstValue, exp.Floor,
    exp.GenerateSeries, exp.Greatest, exp.GroupConcat, exp.IntDiv, exp.IsInf, exp.IsNan,
    exp.JSONExtract, exp.JSONExtractScalar, exp.Lag, exp.LastValue, exp.Lead, exp.Least, exp.Left,
    exp.Length, exp.Ln, exp.LogicalAnd, exp.LogicalOr, exp.Lower, exp.Max, exp.Min, exp.Mod,
    exp.NthValue, exp.Ntile, exp.Nullif, exp.ParseJSON, exp.PercentRank, exp.Pow, exp.Rank,
    exp.RegexpExtract, exp.RegexpReplace, exp.Replace, exp.Reverse, exp.Right, exp.Round,
    exp.RowNumber, exp.SafeDivide, exp.Sign, exp.Sqrt, exp.StartsWith, exp.Stddev, exp.StddevPop,
    exp.StddevSamp, exp.StrPosition, exp.StrToTime, exp.StrToDate, exp.Substring, exp.Sum,
    exp.TimeAdd, exp.TimeSub, exp.TimeToStr, exp.TimestampAdd, exp.TimestampDiff, exp.TimestampSub,
    exp.TimestampTrunc, exp.ToBase64, exp.Trim, exp.TsOrDsToDate, exp.TsOrDsToDatetime,
    exp.TsOrDsToTime, exp.TsOrDsToTimestamp, exp.UnixToTime, exp.UnixSeconds, exp.UnixMillis,
    exp.Upper, exp.Variance, exp.VariancePop, exp.Lower, exp.Timestamp, exp.Split, exp.DatetimeDiff,
    exp.DatetimeTrunc, exp.UnixDate, exp.WeekStart,
    exp.DateFromParts, exp.LastDay, exp.LowerHex, exp.MD5Digest, exp.RegexpExtractAll,
    exp.SHA2Digest, exp.UnixMicros, exp.JSONFormat,
)  # fmt: skip
_PARTS = frozenset({
    "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "QUARTER", "YEAR",
})  # fmt: skip
_FORMAT = re.compile(r"(?:[^%]|%[YmdHMSyjbBaAp%])*")
_TYPES = {
    "BIGINT": "BIGINT", "DOUBLE": "DOUBLE", "TEXT": "VARCHAR", "VARCHAR": "VARCHAR",
    "BOOLEAN": "BOOLEAN", "BINARY": "BLOB", "VARBINARY": "BLOB", "DATE": "DATE", "TIME": "TIME",
    "DATETIME": "TIMESTAMP", "TIMESTAMP": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMPTZ",
    "DECIMAL": "DECIMAL", "BIGDECIMAL": "BIGDECIMAL", "JSON": "JSON",
}  # fmt: skip
NUMERIC, BIGNUMERIC = "DECIMAL(38,9)", "DECIMAL(38,18)"
DUCK_TYPES = {
    "INTEGER": "BIGINT", "FLOAT": "DOUBLE", "STRING": "VARCHAR", "BYTES": "BLOB",
    "BOOLEAN": "BOOLEAN", "DATE": "DATE", "TIME": "TIME", "DATETIME": "TIMESTAMP",
    "TIMESTAMP": "TIMESTAMPTZ", "NUMERIC": NUMERIC, "BIGNUMERIC": BIGNUMERIC, "JSON": "JSON",
    "GEOGRAPHY": "VARCHAR", "INTERVAL": "VARCHAR", "RANGE": "VARCHAR",
}  # fmt: skip
"""Types of schemas to DuckDB's."""
MACROS = (
    "bq_div(a, b) AS CASE WHEN b = 0 THEN error('division by zero: ' || CAST(a AS VARCHAR) || ' / '"
    " || CAST(b AS VARCHAR)) ELSE a / b END",
    "bq_idiv(a, b) AS CASE WHEN b = 0 THEN error('division by zero: ' || CAST(a AS VARCHAR) ||"
    " ' / ' || CAST(b AS VARCHAR)) ELSE a // b END",
    "bq_mod(a, b) AS CASE WHEN b = 0 THEN error('division by zero: MOD(' || CAST(a AS VARCHAR) ||"
    " ', ' || CAST(b AS VARCHAR) || ')') ELSE a % b END",
    "bq_at(a, n) AS CASE WHEN n < 0 OR n >= len(a) THEN error('Array index ' || CAST(n AS VARCHAR)"
    " || ' is out of bounds') ELSE a[n + 1] END",
    "bq_safe_at(a, n) AS CASE WHEN n < 0 THEN NULL ELSE a[n + 1] END",
    "bq_concat(a, b) AS CASE WHEN strlen(CAST(a AS VARCHAR)) + strlen(CAST(b AS VARCHAR)) >"
    " 10000000 THEN error('Cannot query rows larger than 10MB limit.') ELSE CAST(a AS VARCHAR) ||"
    " CAST(b AS VARCHAR) END",
    "bq_replace(a, b, c) AS CASE WHEN strlen(a) * (1 + strlen(c)) > 10000000 THEN error("
    "'Cannot query rows larger than 10MB limit.') WHEN b = '' THEN a ELSE replace(a, b, c) END",
    "bq_regexp_replace(a, b, c) AS CASE WHEN (1 + strlen(a)) * (1 + strlen(c)) > 10000000 THEN"
    " error('Cannot query rows larger than 10MB limit.') ELSE regexp_replace(a, b, c, 'g') END",
    "bq_join(a, b) AS CASE WHEN list_sum(list_transform(a, lambda x: strlen(x) + strlen(b))) >"
    " 10000000 THEN error('Cannot query rows larger than 10MB limit.') ELSE array_to_string(a, b)"
    " END",
    "bq_int(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') OR typeof(x) LIKE 'DECIMAL%' THEN"
    " CAST(round(TRY_CAST(x AS DOUBLE)) AS BIGINT) WHEN typeof(x) = 'VARCHAR' AND NOT"
    " regexp_full_match(CAST(x AS VARCHAR), '\\s*[+-]?[0-9]+\\s*') THEN CAST(error('Bad int64"
    " value: ' || CAST(x AS VARCHAR)) AS BIGINT) ELSE CAST(x AS BIGINT) END",
    "bq_try_int(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') OR typeof(x) LIKE 'DECIMAL%' THEN"
    " TRY_CAST(round(TRY_CAST(x AS DOUBLE)) AS BIGINT) WHEN typeof(x) = 'VARCHAR' AND NOT"
    " regexp_full_match(CAST(x AS VARCHAR), '\\s*[+-]?[0-9]+\\s*') THEN NULL ELSE TRY_CAST(x AS"
    " BIGINT) END",
    "bq_text(x) AS CASE WHEN typeof(x) LIKE 'STRUCT%' THEN error('Invalid cast from STRUCT to"
    " STRING') WHEN typeof(x) = 'BLOB' THEN decode(CAST(CAST(x AS VARCHAR) AS BLOB)) WHEN"
    " typeof(x) LIKE 'DECIMAL%' THEN regexp_replace(regexp_replace(CAST(x AS VARCHAR),"
    " '(\\.[0-9]*?)0+$', '\\1'), '\\.$', '') WHEN typeof(x) = 'DOUBLE' THEN regexp_replace("
    "CAST(x AS VARCHAR), '\\.0$', '') ELSE CAST(x AS VARCHAR) END",
    "bq_sqrt(x) AS CASE WHEN x < 0 THEN error('Argument to SQRT cannot be negative: ' ||"
    " CAST(x AS VARCHAR)) ELSE sqrt(x) END",
    "bq_ln(x) AS CASE WHEN x <= 0 THEN error('Argument to LN must be greater than 0: ' ||"
    " CAST(x AS VARCHAR)) ELSE ln(x) END",
    "bq_unix_seconds(x) AS CAST(floor(epoch(CAST(x AS TIMESTAMPTZ))) AS BIGINT)",
    "bq_point(x, y) AS CASE WHEN y NOT BETWEEN -90 AND 90 THEN error('Latitude must be between -90"
    " and 90: ' || CAST(y AS VARCHAR)) ELSE struct_pack(\"__GEOGRAPHY\" := 'POINT(' ||"
    " regexp_replace(CAST(x AS VARCHAR), '\\.0$', '') || ' ' ||"
    " regexp_replace(CAST(y AS VARCHAR), '\\.0$', '') || ')') END",
    "bq_geography(x) AS CASE WHEN x IS NULL THEN NULL WHEN NOT regexp_full_match(x,"
    " '(?i)\\s*(point|linestring|polygon|multi(point|linestring|polygon)|geometrycollection)\\s*"
    "(empty|\\(.*\\))\\s*') THEN error('Invalid WKT: ' || x) ELSE struct_pack(\"__GEOGRAPHY\" :="
    " replace(regexp_replace(upper(trim(x)), '\\s*([(),])\\s*', '\\1', 'g'), ',', ', ')) END",
    "bq_bound(x, n) AS nullif(trim(CASE n WHEN 1 THEN regexp_extract(CAST(x AS VARCHAR),"
    " '\\[(.*?),', 1) ELSE regexp_extract(CAST(x AS VARCHAR), ',([^,]*?)\\)', 1) END),"
    " 'UNBOUNDED')",
    "bq_finite(x) AS CASE WHEN isinf(x) THEN error('Floating point overflow') ELSE x END",
)
"""What GoogleSQL means otherwise than DuckDB, as DuckDB's macros."""


def place_of_word(text: str, word: str) -> str:
    """Where a word stands first in a text; the beginning where it is not found."""
    found = re.search(rf"(?<![\w`]){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return _place(text, found.start() if found else 0)


def place_of_node(text: str, node: exp.Expr) -> str:
    """Where a part of a statement stands, or what is around it."""
    own = (each.meta["start"] for each in node.walk() if "start" in each.meta)
    start = node.meta.get("start", min(own, default=None))
    if start is None and node.parent is not None:
        return place_of_node(text, node.parent)
    return _place(text, int(start or 0))


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"at [{line}:{at - (text.rfind(chr(10), 0, at) + 1) + 1}]"


def parse_script(text: str) -> list[exp.Expression]:
    """The statements of a text.

    Raises:
        QueryError: It cannot be read.
    """
    if not text.strip():
        raise invalid_query("Syntax error: Unexpected end of script at [1:1]")
    if len(text) > _MOST_TEXT:
        raise invalid_query("Query text exceeds the maximum of 1 MB")
    nesting = 0
    for each in text:
        nesting += (each in "([") - (each in ")]")
        if nesting > _DEEPEST:
            raise invalid_query("Query is too complex: it is nested too deeply")
    try:
        found = sqlglot.parse(text, read="bigquery", error_level=ErrorLevel.IMMEDIATE)
    except (ParseError, TokenError) as error:
        raise _syntax_error(text, error) from error
    except (SqlglotError, RecursionError, ValueError, IndexError, AttributeError) as error:
        raise invalid_query("Syntax error: the query cannot be read at [1:1]") from error
    statements = [each for each in found if isinstance(each, exp.Expression)]
    if not statements:
        raise invalid_query("Syntax error: Unexpected end of script at [1:1]")
    return [each for each in statements if not isinstance(each, exp.Semicolon)]


def _syntax_error(text: str, error: Exception) -> QueryError:
    known = getattr(error, "errors", None) or [{}]
    word, line = str(known[0].get("highlight") or ""), known[0].get("line") or 1
    end = int(known[0].get("col") or 1)
    column = max(end - len(word) + 1, 1)
    first = text.split(None, 1)[0] if text.split() else ""
    if not word:
        return invalid_query(f"Syntax error: Unexpected end of script at [{line}:{end}]")
    if line == 1 and first and not re.match(r"(?i)(select|with|insert|update|delete|merge|create|"
                                            r"drop|truncate|alter|begin|commit|declare|set|call|"
                                            r"from|\()", first):  # fmt: skip
        word, column = first, len(text) - len(text.lstrip()) + 1
    kind = "keyword" if word.upper() in _KEYWORDS else "identifier"
    kind = "integer literal" if word.isdigit() else kind
    shown = word.upper() if kind == "keyword" else f'"{word}"'
    if not re.match(r"\w", word):
        kind, shown = "", f'"{word}"'
    return invalid_query(
        f"Syntax error: Unexpected {kind}{' ' if kind else ''}{shown} at [{line}:{column}]"
    )


_KEYWORDS = frozenset({
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "BY", "HAVING", "LIMIT", "JOIN", "ON", "UNION",
    "WITH", "AS", "AND", "OR", "NOT", "IN", "CASE", "WHEN", "THEN", "ELSE", "END", "NULL",
})  # fmt: skip


def refuse(text: str, what: str, at: exp.Expr | str = "") -> QueryError:
    """The refusal of something that is not computed here.

    Args:
        text: The text.
        what: What it is.
        at: Where it is, or a word of the text that stands there.
    """
    where = place_of_word(text, at) if isinstance(at, str) else place_of_node(text, at)
    return invalid_query(
        f"Unsupported feature: {what} is not computed by the mock server {where}", emulated=False
    )


@dataclass
class Translator:
    """Says the statements of one text in DuckDB's language.

    Attributes:
        text: The text, for places.
        find_table: What stands for a table in DuckDB, by the parts of its name, its place, and
            `is_target`: whether it is written.
        parameters: Query parameters as the caller sent them.
        now: The session's time.
        functions: Names of the script's own functions.
        touched: Types of the columns that the tables have.
        types_of: The types of the columns of a name in the tables: `INTEGER`, `RECORD[]`.
        used: How many positional parameters were used.
        unnested: How many arrays were put where tables stand.
    """

    text: str
    find_table: Callable[..., exp.Expression]
    parameters: Sequence[JsonObject]
    now: datetime
    functions: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    types_of: Callable[[str], frozenset[str]] = lambda _: frozenset()
    used: int = 0
    unnested: int = 0

    def sql(self, statement: exp.Expression) -> str:
        """The statement for DuckDB.

        Raises:
            QueryError: It has something that is not computed here, or names what is not there.
        """
        tree = statement.copy()
        given = (parameter_field("", each.get("parameterType") or {}) for each in self.parameters)
        self.touched |= {type_of(each) for each in given}
        self._put_tables(tree)
        self._check(tree)
        self._name_columns(tree)
        for array in list(tree.find_all(exp.Unnest)):
            self._unnest(array)
        for node in reversed(list(tree.bfs())):  # what is inside first
            above, key, index = node.parent, node.arg_key, node.index
            made = self._rewrite(cast("exp.Expression", node))
            if above is None:
                tree = made
            elif made is not node:
                above.set(str(key), made, index)
        try:
            return tree.sql("duckdb", unsupported_level=ErrorLevel.RAISE)
        except UnsupportedError as error:
            raise refuse(self.text, str(error).splitlines()[0], "SELECT") from error

    # --- names of tables ---

    def _put_tables(self, tree: exp.Expression) -> None:
        for table in list(tree.find_all(exp.Table)):
            if isinstance(table.parent, exp.UserDefinedFunction):
                continue
            if not isinstance(table.this, exp.Identifier):
                name = getattr(table.this, "name", "") or table.this.sql("bigquery").split("(")[0]
                where = place_of_word(self.text, name)
                raise invalid_query(f"Table-valued function not found: {name} {where}")
            parts = tuple(each for part in table.parts for each in part.name.split("."))
            if len(parts) == 1 and _is_cte(table, parts[0]):
                continue
            for name in ("pivots", "sample", "version", "when", "ordinality"):
                if table.args.get(name):
                    raise refuse(self.text, name.upper().removesuffix("S"), parts[-1])
            alias, is_target = table.args.get("alias"), _is_target(table)
            where = place_of_word(self.text, parts[0])
            found = self.find_table(parts, where, is_target=is_target)
            if alias is None and not (is_target and isinstance(table.parent, _LISTING)):
                alias = exp.TableAlias(this=exp.to_identifier(parts[-1], quoted=True))
            if alias is not None:
                found.set("alias", alias.copy())
            if table.args.get("joins"):
                found.set("joins", table.args["joins"])
            table.replace(found)

    # --- what is computed ---

    def _check(self, tree: exp.Expression) -> None:
        for node in tree.walk():
            if isinstance(node, exp.Anonymous):
                own = node.name.casefold()
                if own not in self.functions and own not in _OF_NAMES:
                    raise self._unknown_function(node.name)
            elif not isinstance(node, _FUNCTIONS + _STRUCTURE):
                raise refuse(self.text, _described(node), node)
            if isinstance(node, exp.DataType):
                self._check_type(node)
        self._check_types_beside(tree)

    def _check_types_beside(self, tree: exp.Expression) -> None:
        """Refuse what has another type in DuckDB, where values of such types are beside it."""
        for kinds, nodes in _BESIDE:
            found = sorted(kinds & self.touched)
            wrong = tree.find(*nodes) if found else None
            if wrong is not None:
                raise refuse(self.text, f"{wrong.key.upper()} beside {found[0]} values", wrong)
        if "DATE" in self.touched and any(map(self._may_be_dates, tree.find_all(exp.Sub))):
            raise refuse(self.text, "the difference of two DATE values", "-")

    def _may_be_dates(self, node: exp.Sub) -> bool:
        return all(
            isinstance(one, exp.Column | exp.Parameter | exp.Date | exp.CurrentDate)
            or (isinstance(one, exp.Cast) and one.to.this == exp.DataType.Type.DATE)
            for one in (node.this, node.expression)
        )

    def _unknown_function(self, name: str) -> QueryError:
        if name.upper() in _KNOWN_FUNCTIONS:
            return refuse(self.text, f"function {name.upper()}", name)
        where = place_of_word(self.text, name)
        return invalid_query(f"Function not found: {name} {where}")

    def _check_type(self, node: exp.DataType) -> None:
        kind = node.this.value if isinstance(node.this, exp.DataType.Type) else str(node.this)
        if kind in {"DECIMAL", "BIGDECIMAL"}:
            self.touched.add("NUMERIC" if kind == "DECIMAL" else "BIGNUMERIC")
        if kind == "DATE":
            self.touched.add("DATE")
        is_told = kind in _TYPES or kind in {"ARRAY", "STRUCT", "LIST"}
        is_told = is_told or (kind == "RANGE" and isinstance(node.parent, exp.Cast))
        if not is_told or (kind.startswith("TIME") and node.expressions):
            raise refuse(self.text, f"type {kind}", kind)

    # --- columns without names ---

    def _name_columns(self, tree: exp.Expression) -> None:
        top: Any = tree
        if isinstance(top, exp.Insert | exp.Create):
            top = top.expression
        while isinstance(top, exp.SetOperation | exp.Subquery):
            top = top.this
        if not isinstance(top, exp.Select):
            return
        count, named = 0, []
        for each in top.expressions:
            if isinstance(each, exp.Column | exp.Alias | exp.Star) or each.is_star:
                named.append(each)
            elif isinstance(each, exp.Dot) and isinstance(each.expression, exp.Identifier):
                named.append(exp.alias_(each, each.expression.name, quoted=True))
            else:
                named.append(exp.alias_(each, f"f{count}_", quoted=True))
                count += 1
        top.set("expressions", named)

    # --- arrays as tables ---

    def _unnest(self, node: exp.Unnest) -> None:
        if isinstance(node.parent, exp.In):
            return
        array = node.expressions[0]
        alias, offset = node.args.get("alias"), node.args.get("offset")
        columns = alias.columns if alias is not None else []
        name = columns[0].name if columns else (alias.name if alias and alias.this else "")
        records = self._holds_records(array)
        select = node.find_ancestor(exp.Select)
        has_star = select is not None and any(each.is_star for each in select.expressions)
        if has_star and (records is None or (records and offset)):
            raise refuse(self.text, "* over UNNEST of an array whose type is not known", "UNNEST")
        self.unnested += 1
        one = f"unnest_{self.unnested}"
        if offset:
            first = _own(exp.Literal.number(1))
            counted = exp.Anonymous(this="generate_subscripts", expressions=[array.copy(), first])
            made = exp.select(
                exp.alias_(exp.Anonymous(this="unnest", expressions=[array.copy()]),
                           name or "unnested", quoted=True),
                exp.alias_(exp.Sub(this=counted, expression=_own(exp.Literal.number(1))),
                           offset.name if isinstance(offset, exp.Identifier) else "offset",
                           quoted=True),
            ).subquery(one)  # fmt: skip
        elif records:
            deep = exp.PropertyEQ(this=exp.to_identifier("max_depth"),
                                  expression=_own(exp.Literal.number(2)))  # fmt: skip
            made = exp.select(
                exp.Anonymous(this="unnest", expressions=[array.copy(), deep])
            ).subquery(name or one)  # fmt: skip
        else:
            made = exp.select(
                exp.alias_(exp.Anonymous(this="unnest", expressions=[array.copy()]),
                           name or "f0_", quoted=True)
            ).subquery(one)  # fmt: skip
        for each in made.find_all(exp.Anonymous):
            each.meta["own"] = True
        node.replace(made)

    def _holds_records(self, array: exp.Expression) -> bool | None:
        if isinstance(array, exp.Array):
            first = array.expressions[0] if array.expressions else None
            if isinstance(first, exp.Select | exp.Subquery):
                return None
            if isinstance(first, exp.Cast):
                return bool(first.to.this == exp.DataType.Type.STRUCT)
            if isinstance(first, exp.Column | exp.Dot):
                return None
            return isinstance(first, exp.Struct | exp.Tuple)
        if isinstance(array, exp.GenerateSeries | exp.Split | exp.RegexpExtract):
            return False
        if isinstance(array, exp.Column | exp.Dot):
            found = {kind == "RECORD[]" for kind in self.types_of(array.name.casefold())}
            return found.pop() if len(found) == 1 else None
        return None

    # --- what means something else in DuckDB ---

    def _rewrite(self, node: exp.Expression) -> exp.Expression:
        own = _REWRITES.get(type(node))
        if isinstance(node, exp.Anonymous) and node.name.casefold() not in self.functions:
            own = _OF_NAMES.get(node.name.casefold())
        return own(self, node) if own is not None and not node.meta.get("own") else node

    def parameter(self, name: str) -> exp.Expression:
        """The value of a parameter; of the next positional one for an empty name.

        Raises:
            QueryError: There is none, or it is none of its type.
        """
        named = [each for each in self.parameters if each.get("name")]
        if name:
            found = [each for each in named if str(each["name"]).casefold() == name.casefold()]
            if not found:
                where = place_of_word(self.text, f"@{name}")
                raise invalid_query(f"Query parameter '{name}' not found {where}")
            return self._value(found[0])
        if self.used >= len(self.parameters):
            raise invalid_query(
                "Number of positional parameters in query does not match the number sent:"
                f" {len(self.parameters)} {place_of_word(self.text, '?')}"
            )
        self.used += 1
        return self._value(self.parameters[self.used - 1])

    def _value(self, given: JsonObject) -> exp.Expression:
        kind, value = given.get("parameterType") or {}, given.get("parameterValue") or {}
        declared = parameter_field(str(given.get("name", "")), kind)
        plain = parameter_plain(kind, value)
        if type_of(declared) == "TIMESTAMP" and "-" not in str(plain or "-")[1:]:
            raise invalid_query(f"Invalid timestamp: '{str(plain)[:100]}'")
        try:
            plain = read_value(declared, plain)
        except ValueRefusedError as error:
            raise invalid_query(f"Invalid query parameter value: {error.message}") from error
        return literal(declared, plain)


AS_TEXTS = frozenset({"RANGE", "INTERVAL", "GEOGRAPHY"})
"""Types whose values are texts that DuckDB only passes on: structures that tell their type."""


def marker(declared: JsonMapping) -> str:
    """The name of the one field of such a structure.

    >>> marker({"type": "RANGE", "rangeElementType": {"type": "DATE"}})
    '__RANGE DATE'
    """
    element = str((declared.get("rangeElementType") or {}).get("type") or "")
    return f"__{type_of(declared)} {element}".rstrip()


def parameter_field(name: str, kind: JsonObject) -> JsonObject:
    """The field that a parameter's type means.

    >>> parameter_field("a", {"type": "ARRAY", "arrayType": {"type": "INT64"}})
    {'name': 'a', 'type': 'INTEGER', 'mode': 'REPEATED'}
    """
    own = type_of(kind)
    if own == "ARRAY":
        return {**parameter_field(name, kind.get("arrayType") or {}), "mode": "REPEATED"}
    made: JsonObject = {"name": name or "p", "type": own}
    if own == "RANGE":
        made["rangeElementType"] = kind.get("rangeElementType") or {}
    if own == "RECORD":
        made["fields"] = [
            parameter_field(str(each.get("name") or f"_field_{at + 1}"), each.get("type") or {})
            for at, each in enumerate(kind.get("structTypes") or ())
        ]
    return made


def parameter_plain(kind: JsonObject, value: JsonObject) -> Any:
    """The value of a parameter as rows are sent."""
    if type_of(kind) == "ARRAY":
        inner = kind.get("arrayType") or {}
        return [parameter_plain(inner, each) for each in value.get("arrayValues") or ()]
    if type_of(kind) == "RECORD":
        types = {str(each.get("name")): each["type"] for each in kind.get("structTypes") or ()}
        sent = value.get("structValues")
        if sent is None:
            return None
        return {name: parameter_plain(types.get(name, {}), each) for name, each in sent.items()}
    if type_of(kind) == "RANGE":
        ends = value.get("rangeValue") or {}
        start, end = (
            (ends.get(name) or {}).get("value") or "UNBOUNDED" for name in ("start", "end")
        )
        return f"[{start}, {end})"
    return value.get("value")


def duck_type(declared: JsonObject) -> str:
    """DuckDB's type of a field.

    >>> duck_type({"name": "a", "type": "INT64", "mode": "REPEATED"})
    'BIGINT[]'
    """
    if type_of(declared) == "RECORD":
        parts = (f'"{each["name"]}" {duck_type(each)}' for each in declared.get("fields") or ())
        made = f"STRUCT({', '.join(parts)})"
    elif type_of(declared) in AS_TEXTS:
        made = f'STRUCT("{marker(declared)}" VARCHAR)'
    else:
        made = DUCK_TYPES[type_of(declared)]
    return f"{made}[]" if is_repeated(declared) else made


def literal(declared: JsonObject, value: Any) -> exp.Expression:
    """What stands for a value of a field in DuckDB."""
    made: exp.Expression
    if value is None:
        made = exp.null()
    elif is_repeated(declared):
        one = {**declared, "mode": "NULLABLE"}
        made = exp.Array(expressions=[literal(one, each) for each in value])
    elif type_of(declared) == "RECORD":
        made = exp.Struct(expressions=[
            exp.PropertyEQ(this=exp.to_identifier(each["name"], quoted=True),
                           expression=literal(each, value.get(each["name"])))
            for each in declared.get("fields") or ()
        ])  # fmt: skip
    elif type_of(declared) in AS_TEXTS:
        name = exp.to_identifier(marker(declared), quoted=True)
        text = exp.Literal.string(str(value))
        made = exp.Struct(expressions=[exp.PropertyEQ(this=name, expression=text)])
    elif type_of(declared) == "BYTES":
        made = exp.Anonymous(this="from_base64", expressions=[exp.Literal.string(value)])
    elif isinstance(value, bool):
        made = exp.Boolean(this=value)
    else:
        made = exp.Literal.string(str(value))
    found = exp.Cast(this=made, to=exp.DataType.build(duck_type(declared), dialect="duckdb"))
    for each in found.walk():
        each.meta["own"] = True
    return found


def _described(node: exp.Expr) -> str:
    """What a part of a statement is called."""
    name = node.meta.get("bigquery_name")
    return f"function {name}" if name else type(node).__name__.upper()


_LISTING = (exp.Insert, exp.Schema)


def _is_target(table: exp.Table) -> bool:
    """Whether a statement writes a table that it names."""
    above = table.parent
    return isinstance(above, exp.Insert | exp.Update | exp.Delete | exp.Schema) or (
        isinstance(above, exp.Merge) and table.arg_key == "this"
    )


def _is_cte(table: exp.Table, name: str) -> bool:
    node: Any = table
    while node is not None:
        with_ = node.args.get("with_") or node.args.get("with")
        if with_ is not None and any(
            each.alias.casefold() == name.casefold() for each in with_.expressions
        ):
            return True
        node = node.parent
    return False


def _call(name: str, *arguments: exp.Expression) -> exp.Anonymous:
    made = exp.Anonymous(this=name, expressions=list(arguments))
    made.meta["own"] = True
    return made


Node = TypeVar("Node", bound=exp.Expression)


def _own(node: Node) -> Node:
    node.meta["own"] = True
    return node


def _cast(node: exp.Expression, kind: str) -> exp.Cast:
    to = exp.DataType.build(kind, dialect="duckdb")
    for each in to.walk():
        each.meta["own"] = True
    return _own(exp.Cast(this=node, to=to))


_COUNTED = (
    exp.Limit, exp.Offset, exp.Group, exp.DataTypeParam, exp.WindowSpec, exp.JSONPathSubscript,
    exp.JSONPathKey, exp.Ordered, exp.Bracket, exp.Ntile,
)  # fmt: skip
_COUNTS = frozenset({
    "group", "decimals", "length", "start", "scale", "position", "occurrence", "default_year",
})  # fmt: skip
"""Where numbers are no values of the query."""


def _number(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    if node.is_string or isinstance(node.parent, _COUNTED) or node.arg_key in _COUNTS:
        return node
    text = str(node.this)
    if text.isdigit():
        return _cast(_own(exp.Literal.number(text)), "BIGINT")
    return _cast(_own(exp.Literal.number(text)), "DOUBLE")


def _negative(asked: Translator, node: Any) -> Any:
    del asked
    inner = node.this
    number = inner.this if isinstance(inner, exp.Cast) and inner.meta.get("own") else None
    if isinstance(number, exp.Literal) and not number.is_string:
        digits = number.this.removeprefix("-")
        below = exp.Literal(this=digits if digits != number.this else f"-{digits}", is_string=False)
        return _cast(_own(below), inner.to.sql("duckdb"))
    return node


def _data_type(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    kind = node.this.value if isinstance(node.this, exp.DataType.Type) else ""
    if kind in {"DECIMAL", "BIGDECIMAL"} and not node.expressions:
        return exp.DataType.build(NUMERIC if kind == "DECIMAL" else BIGNUMERIC, dialect="duckdb")
    if kind == "BIGDECIMAL":
        return exp.DataType.build(BIGNUMERIC, dialect="duckdb")
    if kind in {"VARCHAR", "TEXT", "BINARY", "VARBINARY"} and node.expressions:
        return exp.DataType.build(_TYPES[kind], dialect="duckdb")
    return node


def _converted(asked: Translator, node: Any) -> Any:
    if node.args.get("format"):
        raise refuse(asked.text, "CAST with FORMAT", node)
    kind = node.to.this
    if kind == exp.DataType.Type.RANGE:
        return _range(asked, node)
    is_safe = isinstance(node, exp.TryCast)
    if kind == exp.DataType.Type.BIGINT:
        return _call("bq_try_int" if is_safe else "bq_int", node.this)
    if kind in {exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR}:
        if isinstance(node.this, exp.Literal) and node.this.is_string:
            return node
        return _call("bq_text", node.this)
    if kind in {exp.DataType.Type.BINARY, exp.DataType.Type.VARBINARY}:
        return _call("encode", node.this)
    return node


def _safe_divide(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    zero = exp.EQ(this=node.expression.copy(), expression=exp.Literal.number(0))
    return exp.Case(
        ifs=[exp.If(this=zero, true=exp.null())],
        default=_own(exp.Div(this=node.this, expression=node.expression)),
    )


def _subscript(asked: Translator, node: exp.Expression) -> exp.Expression:
    if len(node.expressions) != 1:
        raise refuse(asked.text, "this subscript", node)
    at = node.expressions[0]
    if isinstance(at, exp.Literal) and at.is_string:
        raise refuse(asked.text, "subscript of JSON", node)
    start, is_safe = node.args.get("offset"), node.args.get("safe")
    if start is None:
        raise refuse(asked.text, "subscript without OFFSET or ORDINAL", node)
    at = _own(exp.Sub(this=exp.Paren(this=at), expression=_own(exp.Literal.number(int(start)))))
    return _call("bq_safe_at" if is_safe else "bq_at", node.this, exp.Paren(this=at))


def _concat(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    parts = node.expressions if isinstance(node, exp.Concat) else [node.this, node.expression]
    found: exp.Expression = parts[0]
    for each in parts[1:]:
        found = _call("bq_concat", found, each)
    return found


def _like(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    if isinstance(node.parent, exp.Escape):
        return node
    return exp.Escape(this=_own(node), expression=exp.Literal.string("\\"))


def _extreme(asked: Translator, node: exp.Expression) -> exp.Expression:
    """`GREATEST` and `LEAST` are null where one of the values is."""
    del asked
    parts = [node.this, *node.expressions]
    absent = exp.or_(*(exp.Is(this=each.copy(), expression=exp.null()) for each in parts))
    return exp.Case(ifs=[exp.If(this=absent, true=exp.null())], default=_own(node))


def _trim(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(
        str(node.args.get("position") or ""), "trim"
    )
    kept = node.expression or exp.Literal.string(" \t\n\r\x0b\x0c\u0085\u00a0")
    return _call(name, node.this, kept)


def _substring(asked: Translator, node: exp.Expression) -> exp.Expression:
    start, length = node.args.get("start"), node.args.get("length")
    number = start.this if isinstance(start, exp.Cast) and start.meta.get("own") else start
    known = str(number.this) if isinstance(number, exp.Literal) else ""
    if known == "0":
        node.set("start", exp.Literal.number(1))
    elif not known or (known.startswith("-") and length is not None):
        raise refuse(asked.text, "SUBSTR from a computed place", node)
    return node


def _moment(text: str, kind: str) -> exp.Expression:
    return _cast(_own(exp.Literal.string(text)), kind)


def _now(asked: Translator, node: exp.Expression) -> exp.Expression:
    if node.this is not None and str(node.this.this).upper() not in {"UTC", "6", ""}:
        raise refuse(asked.text, "the current time of another zone", node)
    moment = asked.now.replace(tzinfo=None)
    if isinstance(node, exp.CurrentDate):
        return _moment(moment.date().isoformat(), "DATE")
    if isinstance(node, exp.CurrentTime):
        return _moment(moment.time().isoformat(), "TIME")
    if isinstance(node, exp.CurrentDatetime):
        return _moment(moment.isoformat(sep=" "), "TIMESTAMP")
    return _moment(f"{moment.isoformat(sep=' ')}+00", "TIMESTAMPTZ")


def _unit(asked: Translator, node: exp.Expression, allowed: frozenset[str] = _PARTS) -> str:
    unit = node.args.get("unit")
    name = "DAY" if unit is None else (unit.name or unit.sql("bigquery")).upper()
    name = "WEEK" if isinstance(unit, exp.WeekStart) else name
    if name not in allowed:
        raise refuse(asked.text, f"the part {name}", node)
    return name


def _add_to_time(asked: Translator, node: exp.Expression) -> exp.Expression:
    unit = _unit(asked, node)
    count = node.expression
    if isinstance(count, exp.Interval):
        count = count.this
    step = _call(f"to_{unit.lower()}s", _cast(count, "BIGINT"))
    is_down = type(node).__name__.endswith("Sub")
    made: exp.Expression = _own((exp.Sub if is_down else exp.Add)(this=node.this, expression=step))
    if isinstance(node, exp.DateAdd | exp.DateSub):
        made = _cast(exp.Paren(this=made), "DATE")
    return exp.Paren(this=made)


def _difference(asked: Translator, node: exp.Expression) -> exp.Expression:
    unit = _unit(asked, node)
    name = "date_sub" if isinstance(node, exp.TimestampDiff) else "date_diff"
    if isinstance(node, exp.TimestampDiff) and unit in {"MONTH", "QUARTER", "YEAR"}:
        raise refuse(asked.text, f"TIMESTAMP_DIFF by {unit}", unit)
    kind = "TIMESTAMPTZ" if isinstance(node, exp.TimestampDiff) else ""
    kind = "TIMESTAMP" if isinstance(node, exp.DatetimeDiff) else kind
    ends = [node.expression, node.this]
    ends = [_cast(each, kind) for each in ends] if kind else ends
    return _call(name, exp.Literal.string(unit.lower()), *ends)


def _truncated(asked: Translator, node: exp.Expression) -> exp.Expression:
    if node.args.get("zone"):
        raise refuse(asked.text, "truncation in a time zone", node)
    unit = _unit(asked, node)
    made = _call("date_trunc", exp.Literal.string(unit.lower()), node.this)
    if not isinstance(node, exp.DateTrunc):
        return made
    types = asked.types_of(node.this.name.casefold()) if isinstance(node.this, exp.Column) else {
        str(node.this.to.this.value) if isinstance(node.this, exp.Cast) else "DATE"
    }  # fmt: skip
    if types == {"DATE"}:
        return _cast(made, "DATE")
    if "DATE" in types or not types:
        raise refuse(asked.text, "DATE_TRUNC of a value whose type is not known", node)
    return made


def _extract(asked: Translator, node: exp.Expression) -> exp.Expression:
    part = str(node.this.name).upper()
    if part == "DATE":
        return _cast(node.expression, "DATE")
    if part == "DAYOFWEEK":
        found = _call("date_part", exp.Literal.string("dow"), node.expression)
        return exp.Paren(this=_own(exp.Add(this=found, expression=_own(exp.Literal.number(1)))))
    known = {"DAYOFYEAR": "doy", "ISOYEAR": "isoyear", "ISOWEEK": "week"}
    if part not in _PARTS and part not in known:
        raise refuse(asked.text, f"the part {part}", node)
    if part in {"MILLISECOND", "MICROSECOND"}:
        text = {"MILLISECOND": "millisecond", "MICROSECOND": "microsecond"}[part]
        base = 1000 if part == "MILLISECOND" else 1_000_000
        found = _call("date_part", exp.Literal.string(text), node.expression)
        return exp.Paren(this=_own(exp.Mod(this=found, expression=_own(exp.Literal.number(base)))))
    return _call("date_part", exp.Literal.string(known.get(part, part.lower())), node.expression)


def _formatted(asked: Translator, node: exp.Expression) -> exp.Expression:
    form = node.args.get("format")
    if not isinstance(form, exp.Literal) or _FORMAT.fullmatch(str(form.this)) is None:
        raise refuse(asked.text, "this format of times", node)
    return node


def _aggregate(asked: Translator, node: exp.Expression) -> exp.Expression:
    if node.find(exp.Limit):
        name = "ARRAY_AGG" if isinstance(node, exp.ArrayAgg) else "STRING_AGG"
        raise refuse(asked.text, f"{name} with LIMIT", node)
    return node


def _unique_count(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    return exp.Count(this=exp.Distinct(expressions=[node.this]))


def _tuple(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    if isinstance(node.parent, exp.Values | exp.In | exp.Group | exp.Insert):
        return node
    return _struct_of(node.expressions)


def _struct_of(parts: Sequence[exp.Expression]) -> exp.Expression:
    named = exp.PropertyEQ | exp.Alias | exp.Column
    first = parts[0] if parts else None
    is_inserted = first is not None and first.find_ancestor(exp.Insert) is not None
    if is_inserted and not any(isinstance(each, named) for each in parts):
        return _call("row", *parts)  # which takes the names of its column
    made = []
    for at, each in enumerate(parts):
        value, name = each, f"_field_{at + 1}"
        if isinstance(each, exp.PropertyEQ):
            value, name = each.expression, each.name
        elif isinstance(each, exp.Alias):
            value, name = each.this, each.alias
        elif isinstance(each, exp.Column):
            name = each.name
        made.append(exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=value))
    return _own(exp.Struct(expressions=made))


def _struct(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    if isinstance(node.parent, exp.Cast):
        return node
    return _struct_of(node.expressions)


def _parameter(asked: Translator, node: exp.Expression) -> exp.Expression:
    return asked.parameter(node.name if isinstance(node, exp.Parameter) else "")


def _function(name: str, *keys: str) -> "Rewrite":
    def rewrite(asked: Translator, node: exp.Expression) -> exp.Expression:
        del asked
        parts = [node.args.get(key) for key in ("this", *keys)]
        return _call(name, *(each for each in parts if each is not None))

    return rewrite


def _finite(asked: Translator, node: exp.Expression) -> exp.Expression:
    del asked
    return _call("bq_finite", _own(node))


def _refused(words: str) -> "Rewrite":
    def rewrite(asked: Translator, node: exp.Expression) -> exp.Expression:
        raise refuse(asked.text, words, node)

    return rewrite


def _date_of(asked: Translator, node: exp.Expression) -> exp.Expression:
    if node.args.get("zone"):
        raise refuse(asked.text, "DATE of another time zone", node)
    parts = [node.this, *node.expressions]
    parts += [node.args[key] for key in ("year", "month", "day") if node.args.get(key)]
    parts = [each for each in parts if each is not None]
    if len(parts) == 3:
        return _call("make_date", *parts)
    if len(parts) != 1:
        raise refuse(asked.text, "DATE of these arguments", node)
    return _cast(parts[0], "DATE")


def _timestamp_of(kind: str) -> "Rewrite":
    def rewrite(asked: Translator, node: exp.Expression) -> exp.Expression:
        if node.args.get("zone") or len(node.expressions) > 0 or node.expression is not None:
            raise refuse(asked.text, "a time of these arguments", node)
        return _cast(node.this, kind)

    return rewrite


def _time_of(asked: Translator, node: exp.Expression) -> exp.Expression:
    if node.args.get("zone") or node.args.get("format"):
        raise refuse(asked.text, "TIME of these arguments", node)
    if isinstance(node.this, exp.Literal):
        return _cast(node.this, "TIME")
    return _cast(_cast(node.this, "TIMESTAMP"), "TIME")


def _unix_time(asked: Translator, node: exp.Expression) -> exp.Expression:
    scale = node.args.get("scale")
    digits = int(str(scale.this)) if isinstance(scale, exp.Literal) else 0
    if digits not in {0, 3, 6}:
        raise refuse(asked.text, "this scale of seconds", node)
    factor = exp.Literal.number(10 ** (6 - digits))
    micros = _own(exp.Mul(this=exp.Paren(this=node.this), expression=_own(factor)))
    return _call("make_timestamptz", _cast(exp.Paren(this=micros), "BIGINT"))


_BESIDE: Sequence[tuple[frozenset[str], tuple[type[exp.Expression], ...]]] = (
    (frozenset({"NUMERIC", "BIGNUMERIC"}), (exp.Div, exp.Avg, exp.SafeDivide, exp.Pow, exp.Sqrt)),
    (
        frozenset({"RANGE", "INTERVAL", "GEOGRAPHY"}),
        (
            exp.Upper,
            exp.Lower,
            exp.Length,
            exp.Concat,
            exp.DPipe,
            exp.Replace,
            exp.Reverse,
            exp.Substring,
            exp.Left,
            exp.Right,
            exp.Trim,
            exp.StartsWith,
            exp.EndsWith,
            exp.StrPosition,
            exp.Split,
            exp.RegexpLike,
            exp.RegexpExtract,
            exp.RegexpExtractAll,
            exp.RegexpReplace,
            exp.Like,
            exp.GroupConcat,
            exp.MD5Digest,
            exp.SHA2Digest,
        ),
    ),
    (frozenset({"BIGNUMERIC"}), (exp.Mul, exp.Add, exp.Sub, exp.Sum)),
    (
        frozenset({"BYTES", "TIMESTAMP", "DATETIME", "NUMERIC", "BIGNUMERIC", *AS_TEXTS}),
        (exp.JSONFormat,),
    ),
)
"""Types of values to what DuckDB computes of them in another type than GoogleSQL."""
Rewrite = Callable[[Translator, exp.Expression], exp.Expression]
_REWRITES: Mapping[type[exp.Expression], Rewrite] = {
    exp.Literal: _number,
    exp.Neg: _negative,
    exp.DataType: _data_type,
    exp.Cast: _converted,
    exp.TryCast: _converted,
    exp.Div: _function("bq_div", "expression"),
    exp.IntDiv: _function("bq_idiv", "expression"),
    exp.Mod: _function("bq_mod", "expression"),
    exp.SafeDivide: _safe_divide,
    exp.Bracket: _subscript,
    exp.Concat: _concat,
    exp.DPipe: _concat,
    exp.Like: _like,
    exp.Greatest: _extreme,
    exp.Least: _extreme,
    exp.Trim: _trim,
    exp.Substring: _substring,
    exp.CurrentTimestamp: _now,
    exp.CurrentDate: _now,
    exp.CurrentTime: _now,
    exp.CurrentDatetime: _now,
    **dict.fromkeys((exp.DateAdd, exp.DateSub, exp.TimestampAdd, exp.TimestampSub, exp.DatetimeAdd,
                     exp.DatetimeSub, exp.TimeAdd, exp.TimeSub), _add_to_time),
    **dict.fromkeys((exp.DateDiff, exp.TimestampDiff, exp.DatetimeDiff), _difference),
    **dict.fromkeys((exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc), _truncated),
    exp.Extract: _extract,
    **dict.fromkeys((exp.TimeToStr, exp.StrToTime, exp.StrToDate), _formatted),
    exp.ArrayAgg: _aggregate,
    exp.GroupConcat: _aggregate,
    exp.ApproxDistinct: _unique_count,
    exp.Tuple: _tuple,
    exp.Struct: _struct,
    exp.Parameter: _parameter,
    exp.Placeholder: _parameter,
    exp.Replace: _function("bq_replace", "expression", "replacement"),
    exp.RegexpReplace: _function("bq_regexp_replace", "expression", "replacement"),
    exp.ArrayToString: _function("bq_join", "expression"),
    exp.Sqrt: _function("bq_sqrt"),
    exp.Ln: _function("bq_ln"),
    exp.Pow: _finite,
    exp.Exp: _finite,
    exp.Interval: _refused("an interval of its own"),
    exp.Date: _date_of,
    exp.TsOrDsToDate: _date_of,
    exp.TsOrDsToDatetime: _timestamp_of("TIMESTAMP"),
    exp.TsOrDsToTimestamp: _timestamp_of("TIMESTAMPTZ"),
    exp.Timestamp: _timestamp_of("TIMESTAMPTZ"),
    exp.TsOrDsToTime: _time_of,
    exp.UnixToTime: _unix_time,
    exp.UnixSeconds: _function("bq_unix_seconds"),
    exp.JSONFormat: lambda asked, node: _json_of(asked, node),
}  # fmt: skip


def _point(asked: Translator, node: exp.Expression) -> exp.Expression:
    if len(node.expressions) != 2:
        raise refuse(asked.text, "ST_GEOGPOINT of these arguments", node)
    return _call("bq_point", *(_cast(exp.Paren(this=each), "DOUBLE") for each in node.expressions))


def _geography(asked: Translator, node: exp.Expression) -> exp.Expression:
    if len(node.expressions) != 1:
        raise refuse(asked.text, "ST_GEOGFROMTEXT of these arguments", node)
    return _call("bq_geography", node.expressions[0])


def _json_of(asked: Translator, node: exp.Expression) -> exp.Expression:
    if not node.args.get("to_json") or node.args.get("options"):
        raise refuse(asked.text, "TO_JSON_STRING", node)
    return _call("to_json", node.this)


def _range(asked: Translator, node: Any) -> Any:
    """A range of a text, or of what is a range already."""
    declared: JsonObject = {
        "name": "r", "type": "RANGE",
        "rangeElementType": {"type": str(node.to.expressions[0].sql("bigquery"))},
    }  # fmt: skip
    inner = node.this.unnest()
    if isinstance(inner, exp.Literal) and inner.is_string:
        return literal(declared, str(inner.this))
    if f'"{marker(declared)}"' in inner.sql("duckdb"):
        return inner
    raise refuse(asked.text, "RANGE of what is no literal", node)


def _range_bound(number: int) -> Rewrite:
    def rewrite(asked: Translator, node: exp.Expression) -> exp.Expression:
        told = re.search(r'"__RANGE (\w+)"', node.sql("duckdb"))
        if told is None or len(node.expressions) != 1:
            raise refuse(asked.text, "a bound of what is no literal of a range", node)
        part = _own(exp.Literal.number(number))
        return _cast(_call("bq_bound", node.expressions[0], part), DUCK_TYPES[told[1]])

    return rewrite


_OF_NAMES: Mapping[str, Rewrite] = {
    "st_geogpoint": _point,
    "st_geogfromtext": _geography,
    "range_start": _range_bound(1),
    "range_end": _range_bound(2),
}
"""Functions that the parser does not know."""
_KNOWN_FUNCTIONS = frozenset({
    "FORMAT", "GENERATE_UUID", "RAND", "SESSION_USER", "ERROR", "FARM_FINGERPRINT", "NET",
    "ST_DISTANCE", "APPROX_QUANTILES", "APPROX_TOP_COUNT", "ML", "HLL_COUNT",
    "PARSE_NUMERIC", "NORMALIZE", "CODE_POINTS_TO_STRING", "TO_CODE_POINTS", "SOUNDEX", "COLLATE",
    "CONTAINS_SUBSTR", "SEARCH", "BIT_COUNT", "IEEE_DIVIDE", "SAFE_ADD", "SAFE_SUBTRACT",
    "SAFE_MULTIPLY", "SAFE_NEGATE", "TRUNC", "TIME_DIFF", "UNIX_MICROS", "RANGE",
    "LAX_STRING", "INSTR", "REPEAT", "LPAD", "RPAD", "CORR", "COVAR_SAMP", "COVAR_POP",
})  # fmt: skip


def schema_of(columns: Sequence[exp.Expression]) -> list[JsonObject]:
    """The fields that the columns of a `CREATE TABLE` are.

    Raises:
        QueryError: A type is not known here.
    """
    return [_field_of(each) for each in columns if isinstance(each, exp.ColumnDef)]


def _field_of(column: exp.ColumnDef) -> JsonObject:
    made = _field_of_type(column.name, column.args["kind"])
    for each in column.args.get("constraints") or ():
        kind = each.kind
        if isinstance(kind, exp.NotNullColumnConstraint):
            made["mode"] = "REQUIRED"
        elif isinstance(kind, exp.DefaultColumnConstraint):
            made["defaultValueExpression"] = kind.this.sql("bigquery")
        elif isinstance(each, exp.ColumnConstraint) and "description" in each.sql("bigquery"):
            found = re.search(r"description\s*=\s*['\"](.*?)['\"]", each.sql("bigquery"))
            if found:
                made["description"] = found[1]
    return made


_SCHEMA_TYPES = {
    "BIGINT": "INTEGER", "INT64": "INTEGER", "DOUBLE": "FLOAT", "TEXT": "STRING",
    "VARCHAR": "STRING", "BOOLEAN": "BOOLEAN", "BINARY": "BYTES", "VARBINARY": "BYTES",
    "DATE": "DATE", "TIME": "TIME", "DATETIME": "DATETIME", "TIMESTAMP": "DATETIME",
    "TIMESTAMPTZ": "TIMESTAMP", "DECIMAL": "NUMERIC", "BIGDECIMAL": "BIGNUMERIC", "JSON": "JSON",
    "GEOGRAPHY": "GEOGRAPHY", "INTERVAL": "INTERVAL",
}  # fmt: skip


def _field_of_type(name: str, kind: exp.DataType) -> JsonObject:
    own = kind.this.value if isinstance(kind.this, exp.DataType.Type) else str(kind.this)
    if own in {"ARRAY", "LIST"}:
        return {**_field_of_type(name, kind.expressions[0]), "mode": "REPEATED"}
    if own == "STRUCT":
        inner = [
            _field_of(each) if isinstance(each, exp.ColumnDef) else _field_of_type("", each)
            for each in kind.expressions
        ]
        return {"name": name, "type": "RECORD", "fields": inner}
    if own not in _SCHEMA_TYPES:
        raise invalid_query(f"Type not found: {own} at [1:1]")
    made: JsonObject = {"name": name, "type": _SCHEMA_TYPES[own]}
    sizes = [str(each.name) for each in kind.expressions]
    if sizes and made["type"] in {"STRING", "BYTES"}:
        made["maxLength"] = sizes[0]
    elif sizes and made["type"] in {"NUMERIC", "BIGNUMERIC"}:
        made |= dict(zip(("precision", "scale"), sizes, strict=False))
    return made


def ddl_type(declared: JsonObject) -> str:
    """The type of a field as `INFORMATION_SCHEMA` tells it.

    >>> ddl_type({"name": "a", "type": "INTEGER", "mode": "REPEATED"})
    'ARRAY<INT64>'
    """
    kind = STANDARD_NAMES.get(type_of(declared), type_of(declared))
    if kind == "STRUCT":
        parts = (f"{each['name']} {ddl_type(each)}" for each in declared.get("fields") or ())
        kind = f"STRUCT<{', '.join(parts)}>"
    return f"ARRAY<{kind}>" if is_repeated(declared) else kind
