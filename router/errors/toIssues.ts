import type { z } from 'zod';
import type { Issue } from './requestError.ts';

/** The issues of a body. Each unknown property becomes a separate issue. */
export function toIssues(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: dotted([...issue.path, key]), message: 'Unknown property; remove it.' }))
      : [{ path: dotted(issue.path), message: `${issue.message}${describeReceived(issue)}` }],
  );
}

/** A sentence with the value received. Empty for refinements, which concern several fields, and without `reportInput`. */
function describeReceived(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom' || !('input' in issue)) return '';
  const { input } = issue;
  if (input === undefined) return ' It is missing.';
  if (typeof input === 'string') return ` Got ${JSON.stringify(truncate(input))}.`;
  if (typeof input !== 'object') return ` Got ${String(input)} (${typeof input}).`;
  return input === null ? ' Got null.' : ` Got ${Array.isArray(input) ? 'an array' : 'an object'}.`;
}

/** Cuts a value after 48 characters, which is enough for an address. */
const truncate = (text: string) => (text.length > 48 ? `${text.slice(0, 48)}…` : text);

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
