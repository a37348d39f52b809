import { RequestError } from '../../../router/index.ts';

/** Arguments are flat. A payment repeats the extensions of the 402, which are nested. */
const maxDepth = 40;

/**
 * Rejects deeply nested values: `JSON.parse` accepts depths at which `JSON.stringify` overflows the stack.
 * @throws {RequestError} INVALID_REQUEST
 */
export function assertShallow(name: string, value: unknown): void {
  if (isDeeper(value, maxDepth)) {
    throw new RequestError('INVALID_REQUEST', `${name} is nested deeper than ${maxDepth} levels. Nothing was charged.`);
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
