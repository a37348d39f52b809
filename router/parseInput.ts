import type { PaidItem } from './catalogue.ts';
import { RequestError } from './errors/requestError.ts';
import { toIssues } from './errors/toIssues.ts';

/** Without a limit, a body with thousands of unknown properties would cause a response seven times its size. */
const maxIssues = 50;

/**
 * Validates a body with the procedure's schema before any payment.
 * @throws {RequestError} INVALID_REQUEST with all issues of the body, up to fifty
 */
export function parseInput(item: Pick<PaidItem, 'input' | 'exampleRequest'>, body: unknown): Record<string, unknown> {
  const parsed = item.input.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issues = toIssues(parsed.error);
  const places = issues.length === 1 ? 'one place' : `${issues.length} places`;
  const see = issues.length > maxIssues ? `issues has the first ${maxIssues}` : 'see issues';
  const detail = `The body does not match the schema in ${places}: ${see}. Nothing was charged.`;
  throw new RequestError('INVALID_REQUEST', detail, {
    issues: issues.slice(0, maxIssues),
    exampleRequest: item.exampleRequest,
  });
}
