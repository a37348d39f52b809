import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

/** Whose request it is: undefined when the client is gone already. */
export type ClientAddress = (req: IncomingMessage) => string | undefined;

/** As Express tells it for `trust proxy` with a number: so many proxies in front of us are believed. */
export function createClientAddress(trustedProxies: number): ClientAddress {
  if (trustedProxies === 0) return (req) => req.socket.remoteAddress;
  const isTrusted = (_address: string, index: number) => index < trustedProxies;
  return (req) => proxyAddr(req, isTrusted);
}
