import { ConfigError } from './configError.ts';
import { liveVariables } from './liveVariables.ts';

/**
 * The database that replicas share, for who needs nothing else of the configuration; undefined: there is none.
 * @throws {ConfigError} it is no PostgreSQL URL
 */
export function readDatabaseUrl(environment: Record<string, string | undefined>): string | undefined {
  const parsed = liveVariables.shape.DATABASE_URL.safeParse(environment.DATABASE_URL || undefined);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(({ message }) => `DATABASE_URL ${message}`));
}
