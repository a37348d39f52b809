import { expect, test } from 'vitest';
import { createRedactor } from './createRedactor.ts';
import { secretsOfUrl } from './secretsOfUrl.ts';

test('redacts a URL as a whole, and each part that may be a key', () => {
  const url = 'https://us%40er-name:pass%2Fphrase@k3yk3yk3y.node.example:8443/v2/0123456789abcdef?apikey=mnopqrstuv';
  const redact = createRedactor(secretsOfUrl(url));
  for (const part of [
    url,
    'k3yk3yk3y.node.example',
    '0123456789abcdef',
    'mnopqrstuv',
    'us@er-name',
    'us%40er-name',
    'pass/phrase',
    Buffer.from('us@er-name:pass/phrase').toString('base64'),
  ]) {
    expect(redact(`before ${part} after`), part).toMatch(/^before \S*\[hidden\]\S* after$/);
    expect(redact(`before ${part} after`)).not.toContain(part);
  }
  expect(redact('nothing of it here')).toBe('nothing of it here');
});

test('does not redact a host name of one word', () => {
  const redact = createRedactor(secretsOfUrl('postgres://truefill:correct-horse@database:5432/truefill'));
  expect(redact('PostgreSQL does not answer.')).toBe('PostgreSQL does not answer.');
  expect(redact('not correct-horse')).toBe('not [hidden]');
});

test('redacts a secret in JSON, in a URL and in hexadecimal of either case', () => {
  const redact = createRedactor(['Bearer "a\\b+c/d"', 'deadbeefdeadbeef']);
  expect(redact(JSON.stringify({ value: 'Bearer "a\\b+c/d"' }))).toBe('{"value":"[hidden]"}');
  expect(redact(`?key=${encodeURIComponent('Bearer "a\\b+c/d"')}`)).toBe('?key=[hidden]');
  expect(redact('0xDEADBEEFDEADBEEF')).toBe('0x[hidden]');
});

test('redacts the longer one of two secrets with a common prefix completely', () => {
  const redact = createRedactor(['https://node.example', 'https://node.example/v2/secret-of-two']);
  expect(redact('at https://node.example/v2/secret-of-two')).toBe('at [hidden]');
});
