import { ConfigError } from './configError.ts';
import { liveVariables } from './liveVariables.ts';

/**
 * DATABASE_URL, for commands that need no other configuration; undefined if it is not set.
 * @throws {ConfigError} it is not a PostgreSQL URL
 */
export function readDatabaseUrl(environment: Record<string, string | undefined>): string | undefined {
  const parsed = liveVariables.shape.DATABASE_URL.safeParse(environment.DATABASE_URL || undefined);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(({ message }) => `DATABASE_URL ${message}`));
}
