import { destination, type Logger, pino } from 'pino';

/**
 * The process's log: JSON lines on stderr, so that stdout says only where the service is.
 * @param secrets texts that no line may carry, whatever error brings them: keys, and URLs that hold keys
 */
export function createLogger(options: {
  level: string;
  secrets: readonly string[];
  to?: { write(line: string): void };
}): Logger {
  const { level, secrets, to = destination(2) } = options;
  // A short text would tear holes into innocent lines.
  const hidden = secrets.filter((secret) => secret.length >= 8);
  return pino(
    {
      level,
      base: null,
      serializers: { error: pino.stdSerializers.err },
      hooks: { streamWrite: (line) => hidden.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), line) },
    },
    to,
  );
}

/** What must stay hidden of an RPC URL: itself, and the part that tends to hold the key. */
export function secretsOfUrl(url: string): string[] {
  const { pathname, search, username, password } = new URL(url);
  return [url, url.replace(/\/$/, ''), pathname.replace(/\/$/, ''), search, decoded(username), decoded(password)];
}

/** As it was meant; a lone percent sign, which a password may well hold, stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return part;
  }
}
