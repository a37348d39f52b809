import { parser } from '@prometheus-io/lezer-promql';

/** One `name{label="value"}` in an expression. */
interface Selector {
  metric: string;
  matchers: { label: string; isEqual: boolean; value: string }[];
}

/** The metrics and labels of an expression. */
export interface Query {
  selectors: Selector[];
  /** Labels of `by`, `on` and similar clauses. */
  grouping: string[];
}

/** Parses an expression with Prometheus's grammar. @throws {SyntaxError} */
export function readPromql(expression: string): Query {
  const query: Query = { selectors: [], grouping: [] };
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  const matcher: { label?: string; op?: string } = {};
  let isGrouping = false;
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) throw new SyntaxError(`At ${node.from} of: ${expression}`);
      const text = textOf(node);
      if (node.name === 'VectorSelector') query.selectors.push({ metric: '', matchers: [] });
      const selector = query.selectors.at(-1);
      if (node.name === 'GroupingLabels') isGrouping = true;
      if (node.name === 'Identifier' && selector) selector.metric = text;
      if (node.name === 'LabelName' && isGrouping) query.grouping.push(text);
      else if (node.name === 'LabelName') matcher.label = text;
      if (node.name === 'MatchOp') matcher.op = text;
      if (node.name === 'StringLiteral' && matcher.label && selector) {
        const value = JSON.parse(text) as string;
        selector.matchers.push({ label: matcher.label, isEqual: matcher.op === '=', value });
      }
    },
    leave(node) {
      if (node.name === 'GroupingLabels') isGrouping = false;
    },
  });
  return query;
}
