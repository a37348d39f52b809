import fc from 'fast-check';

/** How a request delimits its body. */
export const framing = fc.oneof(
  { weight: 30, arbitrary: fc.constant('length' as const) },
  { weight: 8, arbitrary: fc.constant('chunked' as const) },
  fc.constantFrom(
    'none',
    'tooLong',
    'tooShort',
    'both',
    'twice',
    'badChunk',
    'hugeChunk',
    'extension',
    'trailers',
    'negative',
    'words',
  ),
);
export type Framing =
  | 'length'
  | 'chunked'
  | 'none'
  | 'tooLong'
  | 'tooShort'
  | 'both'
  | 'twice'
  | 'badChunk'
  | 'hugeChunk'
  | 'extension'
  | 'trailers'
  | 'negative'
  | 'words';

/** Header lines and body bytes of a framing. */
export function frame(how: Framing, content: Buffer): { lines: string[]; bytes: Buffer } {
  const size = content.length;
  const chunk = (extension = '') =>
    Buffer.concat([Buffer.from(`${size.toString(16)}${extension}\r\n`), content, Buffer.from('\r\n')]);
  const end = Buffer.from('0\r\n\r\n');
  const chunks = size === 0 ? end : Buffer.concat([chunk(), end]);
  const coded = 'Transfer-Encoding: chunked';
  switch (how) {
    case 'length':
      return { lines: [`Content-Length: ${size}`], bytes: content };
    case 'chunked':
      return { lines: [coded], bytes: chunks };
    case 'none':
      return { lines: [], bytes: content };
    case 'tooLong':
      return { lines: [`Content-Length: ${size + 7}`], bytes: content };
    case 'tooShort':
      return { lines: [`Content-Length: ${Math.max(0, size - 7)}`], bytes: content };
    case 'both':
      return { lines: [`Content-Length: ${size}`, coded], bytes: chunks };
    case 'twice':
      return { lines: [`Content-Length: ${size}`, `Content-Length: ${size + 1}`], bytes: content };
    case 'badChunk':
      return { lines: [coded], bytes: Buffer.concat([Buffer.from('zz\r\n'), content]) };
    case 'hugeChunk':
      return { lines: [coded], bytes: Buffer.concat([Buffer.from('ffffffffffffffffff\r\n'), content]) };
    case 'extension':
      return { lines: [coded], bytes: Buffer.concat([chunk(`;${'x'.repeat(20_000)}`), end]) };
    case 'trailers':
      return {
        lines: [coded, 'Trailer: PAYMENT-SIGNATURE'],
        bytes: Buffer.concat([chunk(), Buffer.from('0\r\nPAYMENT-SIGNATURE: e30=\r\n\r\n')]),
      };
    case 'negative':
      return { lines: ['Content-Length: -1'], bytes: content };
    case 'words':
      return { lines: ['Content-Length: five'], bytes: content };
  }
}
