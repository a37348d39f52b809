import type { RequestHandler, Response } from 'express';
import type { AddressLimit } from './limits/addressLimit.ts';
import type { RateHeaders } from './limits/policy.ts';
import type { SignedLimit } from './limits/signedLimit.ts';
import { localsOf } from './locals.ts';

/**
 * Limits requests for each client address, or for each paying wallet. The address depends on the configured number of
 * trusted proxies.
 * @throws {RequestError} RATE_LIMITED
 */
export function rateLimit(limitAddress: AddressLimit, limitSigned: SignedLimit): RequestHandler {
  return async (req, res, next) => {
    const signature = req.get('payment-signature');
    const hit = signature ? await limitSigned.count(req.ip, signature) : limitAddress(req.ip);
    setHeaders(res, hit.headers);
    if (hit.refusal) throw hit.refusal;
    let isCounted = false;
    localsOf(res).countForWallet = (wallet) => {
      if (isCounted) return;
      isCounted = true;
      hit.release();
      if (!res.headersSent) setHeaders(res, limitSigned.headersFor(wallet));
    };
    next();
  };
}

function setHeaders(res: Response, headers: RateHeaders): void {
  for (const [name, value] of headers) res.setHeader(name, value);
}
