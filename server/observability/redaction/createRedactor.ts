/** Shorter secrets are not redacted: that would also remove ordinary words. */
const minSecretLength = 8;

/** The forms of a secret in a text: verbatim, in JSON, in a URL, in hexadecimal of the other case. */
function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  return /^[0-9a-fA-F]+$/.test(secret) ? [...forms, secret.toLowerCase(), secret.toUpperCase()] : forms;
}

/**
 * Replaces secrets in a text by `[hidden]`. Longer secrets are replaced first, because one may contain another.
 *
 * @example
 * const redact = createRedactor(secretsOfConfig(config));
 * redact('GET https://node.example/v2/abcdefghijklmnop failed'); // 'GET [hidden] failed'
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= minSecretLength)
    .sort((left, right) => right.length - left.length);
  return (text) => hidden.reduce((seen, secret) => seen.replaceAll(secret, '[hidden]'), text);
}
