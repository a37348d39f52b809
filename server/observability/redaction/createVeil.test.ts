import { expect, test } from 'vitest';
import { createVeil } from './createVeil.ts';
import { secretsOfUrl } from './secretsOfUrl.ts';

test('default: a URL is hidden as a whole, and each part of it that may be a key, by itself', () => {
  const url = 'https://us%40er-name:pass%2Fphrase@k3yk3yk3y.node.example:8443/v2/0123456789abcdef?apikey=mnopqrstuv';
  const veil = createVeil(secretsOfUrl(url));
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
    expect(veil(`before ${part} after`), part).toMatch(/^before \S*\[hidden\]\S* after$/);
    expect(veil(`before ${part} after`)).not.toContain(part);
  }
  expect(veil('nothing of it here')).toBe('nothing of it here');
});

test('behavior: a host of one word, as composed services call each other, takes no words out of the log', () => {
  const veil = createVeil(secretsOfUrl('postgres://truefill:correct-horse@database:5432/truefill'));
  expect(veil('PostgreSQL does not answer.')).toBe('PostgreSQL does not answer.');
  expect(veil('not correct-horse')).toBe('not [hidden]');
});

test('behavior: a secret is hidden in JSON, in a URL and in the other case, too', () => {
  const veil = createVeil(['Bearer "a\\b+c/d"', 'deadbeefdeadbeef']);
  expect(veil(JSON.stringify({ value: 'Bearer "a\\b+c/d"' }))).toBe('{"value":"[hidden]"}');
  expect(veil(`?key=${encodeURIComponent('Bearer "a\\b+c/d"')}`)).toBe('?key=[hidden]');
  expect(veil('0xDEADBEEFDEADBEEF')).toBe('0x[hidden]');
});

test('behavior: where one secret begins like another, neither shows in part', () => {
  const veil = createVeil(['https://node.example', 'https://node.example/v2/secret-of-two']);
  expect(veil('at https://node.example/v2/secret-of-two')).toBe('at [hidden]');
});
