import type { z } from 'zod';
import type { Issue } from './requestError.ts';

/** Every issue of a body; each unknown property is an issue of its own. */
export function toIssues(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: dotted([...issue.path, key]), message: 'Unknown property; remove it.' }))
      : [{ path: dotted(issue.path), message: `${issue.message}${describeSeen(issue)}` }],
  );
}

/** The value of a field, if the parser is configured to report it. A rule across fields has no value of its own. */
function describeSeen(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom' || !('input' in issue)) return '';
  const { input } = issue;
  if (input === undefined) return ' It is missing.';
  if (typeof input === 'string') return ` Got ${JSON.stringify(shortened(input))}.`;
  if (typeof input !== 'object') return ` Got ${String(input)} (${typeof input}).`;
  return input === null ? ' Got null.' : ` Got ${Array.isArray(input) ? 'an array' : 'an object'}.`;
}

/** Long enough for an address; a longer value would only repeat the body. */
const shortened = (text: string) => (text.length > 48 ? `${text.slice(0, 48)}…` : text);

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
