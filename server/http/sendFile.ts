import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const encoders = {
  // Levels 10 and 11 take seconds for Swagger UI and save little.
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
};
type Encoding = keyof typeof encoders;

/** Compression saves too little on smaller bodies. */
const minCompressedBytes = 600;
const incompressible = new Set(['png', 'ico']);

export interface Content {
  type: string;
  body: Buffer;
}

interface Encoded {
  etag: string;
  encodings: Partial<Record<Encoding, Promise<Buffer>>>;
}

/** Compressed bodies, kept as long as their originals. */
const encodedBodies = new WeakMap<Buffer, Encoded>();

/**
 * Sends a static body: compressed if the client accepts it, with an ETag for revalidation.
 */
export async function sendFile(
  req: Request,
  res: Response,
  { type, body }: Content,
  cacheControl: string,
): Promise<void> {
  const encoded = encodedBodies.get(body) ?? {
    etag: createHash('sha256').update(body).digest('base64url').slice(0, 16),
    encodings: {},
  };
  encodedBodies.set(body, encoded);
  res.type(type).setHeader('Cache-Control', cacheControl);
  const isCompressible = body.length >= minCompressedBytes && !incompressible.has(type);
  if (isCompressible) res.vary('Accept-Encoding');
  // Prefer brotli: browsers list gzip first, with equal weight.
  const accepted = isCompressible && (req.acceptsEncodings('br') || req.acceptsEncodings('gzip'));
  if (accepted !== 'br' && accepted !== 'gzip') {
    res.setHeader('ETag', `"${encoded.etag}"`).send(body);
    return;
  }
  encoded.encodings[accepted] ??= encoders[accepted](body);
  const compressed = await encoded.encodings[accepted];
  res.setHeader('Content-Encoding', accepted).setHeader('ETag', `"${encoded.etag}-${accepted}"`).send(compressed);
}
