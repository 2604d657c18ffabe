"""Indexes and searches with Xapian: a line of JSON in, a line with the milliseconds that it took out."""

import json
import sys
import time

import xapian

AT = 0
FLAGS = xapian.QueryParser.FLAG_CJK_NGRAM
COMMIT_EVERY = 10_000

database = xapian.WritableDatabase(sys.argv[1], xapian.DB_CREATE_OR_OVERWRITE)
generator = xapian.TermGenerator()
generator.set_flags(xapian.TermGenerator.FLAG_CJK_NGRAM)
parser = xapian.QueryParser()
parser.set_default_op(xapian.Query.OP_AND)
pending = 0


def index(messages):
    global pending
    for message in messages:
        document = xapian.Document()
        generator.set_document(document)
        generator.index_text(message["text"])
        document.add_boolean_term("XC" + message["chat"])
        document.add_boolean_term("XS" + message["sender"])
        document.add_value(AT, xapian.sortable_serialise(message["at"]))
        document.set_data(message["text"])
        database.add_document(document)
        pending += 1
    if pending >= COMMIT_EVERY:
        commit()


def commit():
    global pending
    database.commit()
    pending = 0


def search(wanted):
    parts = []
    if "words" in wanted:
        parts.append(parser.parse_query(wanted["words"], FLAGS))
    if "chat" in wanted:
        parts.append(xapian.Query("XC" + wanted["chat"]))
    if "sender" in wanted:
        parts.append(xapian.Query("XS" + wanted["sender"]))
    if "since" in wanted:
        parts.append(xapian.Query(xapian.Query.OP_VALUE_GE, AT, xapian.sortable_serialise(wanted["since"])))
    query = xapian.Query(xapian.Query.OP_FILTER, parts) if parts else xapian.Query.MatchAll
    enquire = xapian.Enquire(database)
    enquire.set_query(query)
    # Newest first, without ranking: the order in which documents were added.
    enquire.set_weighting_scheme(xapian.BoolWeight())
    enquire.set_docid_order(xapian.Enquire.DESCENDING)
    return [match.document.get_data() for match in enquire.get_mset(wanted.get("offset", 0), wanted["limit"])]


for line in sys.stdin:
    question = json.loads(line)
    if "search" in question and pending:
        commit()
    started = time.perf_counter()
    if "index" in question:
        index(question["index"])
    else:
        search(question["search"])
    print((time.perf_counter() - started) * 1000, flush=True)
