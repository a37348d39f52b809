import { ConfigError } from './configError.ts';
import { liveVariables } from './liveVariables.ts';

/**
 * The URL of the shared database, for commands that need no other configuration; undefined without one.
 * @throws {ConfigError} when it is not a PostgreSQL URL
 */
export function readDatabaseUrl(environment: Record<string, string | undefined>): string | undefined {
  const parsed = liveVariables.shape.DATABASE_URL.safeParse(environment.DATABASE_URL || undefined);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(({ message }) => `DATABASE_URL ${message}`));
}
