import type { SqlValue } from '../connection.ts';
import { type IdCheck, matchesExpression } from './id-checks.ts';

/**
 * How messages that fit a query are found: by the full-text index (`match`, without `exclude`), then by checks of each
 * message. A plan without any of them is for all messages.
 */
export interface QueryPlan {
  /** An FTS5 expression in parentheses, or a phrase. */
  match?: string;
  /** FTS5 has no expression for "all but". */
  exclude?: string;
  checks: readonly IdCheck[];
  /** Finds the messages that pass the checks by another index. */
  driver?: Driver;
  /** Finds what `match` finds by the index of pairs, which is faster for several words. */
  pairs?: PairPlan;
}

export interface PairPlan {
  /** FTS5 expressions that all match. */
  expressions: readonly string[];
  /** Besides those of the plan. */
  checks: readonly IdCheck[];
  /** The words as a phrase, if there are signs between them, which are in the pairs. */
  words?: string;
}

/** SQL of ids, newest first. Its last parameters are the lowest id, the id above the highest, and the limit. */
export interface Driver {
  sql: string;
  values: readonly SqlValue[];
}

/** `nothing`: no message fits. Undefined: the term is ignored. */
export type TermPlan = QueryPlan | 'nothing' | undefined;

export const byMatch = (match: string): QueryPlan => ({ match, checks: [] });
export const byCheck = (check: IdCheck, driver?: Driver): QueryPlan => ({
  checks: [check],
  ...(driver ? { driver } : {}),
});

export function planForAll(plans: readonly TermPlan[]): TermPlan {
  const wanted = plans.filter((plan) => plan !== undefined);
  if (wanted.length === 0) return undefined;
  if (wanted.includes('nothing')) return 'nothing';
  const each = wanted.filter((plan) => plan !== 'nothing');
  const matches = each.flatMap(({ match }) => match ?? []);
  const excluded = each.flatMap(({ exclude }) => exclude ?? []);
  const driver = each.find((plan) => plan.driver)?.driver;
  const pairs = matches.length === 1 ? each.find(({ match }) => match !== undefined)?.pairs : undefined;
  return {
    ...(matches.length === 0 ? {} : { match: joined(matches, ' AND ') }),
    ...(excluded.length === 0 ? {} : { exclude: joined(excluded, ' OR ') }),
    checks: each.flatMap(({ checks }) => checks),
    ...(driver ? { driver } : {}),
    ...(pairs ? { pairs } : {}),
  };
}

/** `everything` is an expression for all messages. */
export function planForAny(plans: readonly TermPlan[], everything: string): TermPlan {
  const wanted = plans.filter((plan) => plan !== undefined);
  const each = wanted.filter((plan) => plan !== 'nothing');
  const [first, ...others] = each;
  if (!first) return wanted.length === 0 ? undefined : 'nothing';
  if (others.length === 0) return first;
  const expressions = each.map((plan) => expressionOf(plan, everything));
  const matches = expressions.filter((expression) => expression !== undefined);
  const match = matches.length < each.length ? {} : { match: joined(matches, ' OR ') };
  if (each.every(({ checks }) => checks.length === 0)) return { ...match, checks: [] };
  return { ...match, checks: [unionOf(each.map((plan) => wholeCheck(plan, everything)))] };
}

export function planForNot(plan: TermPlan, everything: string): TermPlan {
  if (plan === undefined) return undefined;
  if (plan === 'nothing') return { checks: [] };
  const { match, exclude, checks } = plan;
  if (checks.length > 0) return byCheck(complementOf(wholeCheck(plan, everything)));
  if (match === undefined) return exclude === undefined ? 'nothing' : byMatch(exclude);
  return { exclude: exclude === undefined ? match : `(${match} NOT ${exclude})`, checks: [] };
}

/** Undefined if the index alone does not limit the plan. */
function expressionOf({ match, exclude }: QueryPlan, everything: string): string | undefined {
  return exclude === undefined ? match : `(${match ?? everything} NOT ${exclude})`;
}

/** What the plan says, as a single check. */
export function wholeCheck(plan: QueryPlan, everything: string): IdCheck {
  const { pairs, exclude } = plan;
  const expression = pairs && exclude === undefined ? undefined : expressionOf(plan, everything);
  const matching = expression === undefined ? (pairs?.checks ?? []) : [matchesExpression(expression)];
  const checks = [...matching, ...plan.checks];
  return (reader, ids, within) => checks.reduce((left, check) => check(reader, left, within), ids);
}

function unionOf(checks: readonly IdCheck[]): IdCheck {
  return (reader, ids, within) => {
    const found = new Set<number>();
    for (const check of checks) {
      const left = ids.filter((id) => !found.has(id));
      for (const id of check(reader, left, within)) found.add(id);
    }
    return ids.filter((id) => found.has(id));
  };
}

function complementOf(check: IdCheck): IdCheck {
  return (reader, ids, within) => {
    const found = new Set(check(reader, ids, within));
    return ids.filter((id) => !found.has(id));
  };
}

function joined(expressions: readonly string[], by: ' AND ' | ' OR '): string {
  return expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(by)})`;
}
