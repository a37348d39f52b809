import type { DatabaseUnavailableError } from './storage/index.ts';

const rejected: Record<string, (database: string) => string> = {
  '3D000': (database) => `has no database "${database}" (3D000). Create it, or correct the name in DATABASE_URL.`,
  '28000': () =>
    'rejects the user of DATABASE_URL (28000): the role does not exist, or pg_hba.conf does not admit it from this address. Create the role, correct the name, or add ?sslmode=require if the server admits only TLS.',
  '28P01': () => 'rejects the user name or password in DATABASE_URL (28P01). Correct them.',
  '25006': () => 'is read-only (25006). Set DATABASE_URL to the primary server.',
  '42501': () =>
    'denies the user of DATABASE_URL permission to create tables (42501). Make it the owner of the database.',
};

const unreached: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: 'no response',
  EHOSTUNREACH: 'no route to the host',
};

const isTls = (code: string): boolean =>
  /^(EPROTO|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|NO_TLS)/.test(code);

/**
 * The message for a database that cannot be used at start. Contains host, port and database, but neither user nor
 * password: `readConfig` rejects a URL whose password could be read as its host.
 */
export function describeDatabaseFault({ code }: DatabaseUnavailableError, databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const server = `PostgreSQL at ${hostname}:${port || '5432'}`;
  const rejection = rejected[code]?.(pathname.slice(1));
  if (rejection) return `${server} ${rejection}`;
  if (isTls(code))
    return `Cannot connect to ${server} with TLS (${code}). Check sslmode in DATABASE_URL, and the certificate of the server.`;
  return `Cannot reach ${server} (${unreached[code] ?? code}). Check DATABASE_URL, and that the server runs.`;
}
