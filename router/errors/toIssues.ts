import type { z } from 'zod';
import type { Issue } from './requestError.ts';

/** Every issue of a body; each unknown property is an issue of its own. */
export function toIssues(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: dotted([...issue.path, key]), message: 'Unknown property; remove it.' }))
      : [{ path: dotted(issue.path), message: issue.message }],
  );
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
