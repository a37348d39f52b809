import type { RequestHandler } from 'express';
import { z } from 'zod';
import { RequestError } from '../../router/index.ts';
import { ChainUnreachableError, type WalletReads } from '../payments/index.ts';
import { bytesOf } from './body.ts';
import { sendJson, toJsonResponse } from './errorResponse.ts';
import { parseJson } from './readBody.ts';

const retrySeconds = 2;
const rpcRequest = z.looseObject({ id: z.union([z.string(), z.number()]), method: z.string(), params: z.unknown() });

/**
 * Answers the reads that a Solana wallet of a browser needs to pay.
 * @throws {RequestError} NOT_FOUND: no payment on Solana is offered; INVALID_REQUEST; UPSTREAM_UNAVAILABLE
 */
export function solanaReads(reads: WalletReads | undefined): RequestHandler {
  return async (req, res) => {
    if (!reads) throw new RequestError('NOT_FOUND', 'This service accepts no payment on Solana. Nothing was charged.');
    const parsed = rpcRequest.safeParse(parseJson(req.get('content-type'), bytesOf(req)));
    if (!parsed.success)
      throw new RequestError(
        'INVALID_REQUEST',
        'Expected one JSON-RPC request with id, method and params. Nothing was charged.',
      );
    const { id, method, params } = parsed.data;
    const reply = await reads.reply(method, params).catch((cause: unknown) => {
      if (!(cause instanceof ChainUnreachableError)) throw cause;
      throw new RequestError('UPSTREAM_UNAVAILABLE', 'No node of Solana answers. Nothing was charged. Try again.', {
        cause,
        retryAfterSeconds: retrySeconds,
      });
    });
    sendJson(res, toJsonResponse(200, { jsonrpc: '2.0', id, ...reply }));
  };
}
