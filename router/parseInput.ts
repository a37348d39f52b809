import type { PaidItem } from './catalogue.ts';
import { RequestError } from './errors/requestError.ts';
import { toIssues } from './errors/toIssues.ts';

/**
 * Validates a body with the procedure's own schema, before any money.
 * @throws {RequestError} INVALID_REQUEST with all issues at once
 */
export function parseInput(item: PaidItem, body: unknown): Record<string, unknown> {
  const parsed = item.input.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = toIssues(parsed.error);
  const detail = `The body breaks the schema in ${issues.length === 1 ? 'one place' : `${issues.length} places`}: see issues. Nothing was charged.`;
  throw new RequestError('INVALID_REQUEST', detail, { issues, exampleRequest: item.exampleRequest });
}
