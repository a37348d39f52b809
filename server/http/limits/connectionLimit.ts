import type { Server } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { keyOf } from './addressLimit.ts';

export interface ConnectionLimit {
  /** Open connections of one address; an IPv6 /56 network counts as one address. */
  perAddress: number;
  /** IP addresses and networks (`10.0.0.0/8`) without this limit: proxies, load balancers and health checks. */
  exempt: readonly string[];
}

/** @throws {TypeError} an entry is not an IP address or network, which `readConfig` rejects */
function toBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address);
    if (family === 0) throw new TypeError(`${entry} is not an IP address or network.`);
    if (bits === undefined) list.addAddress(address, `ipv${family as 4 | 6}`);
    else list.addSubnet(address, Number(bits), `ipv${family as 4 | 6}`);
  }
  return list;
}

/**
 * Closes connections of an address above its limit, so that one client cannot take all connections of the server. The
 * address is the peer of the TCP connection: behind a proxy that is the proxy.
 * @param onClosed called for each closed connection
 */
export function limitConnections(
  server: Server,
  { perAddress, exempt }: ConnectionLimit,
  onClosed: () => void = () => undefined,
): void {
  const exempted = toBlockList(exempt);
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const key = keyOf(remoteAddress);
    // `key` is the IPv4 address of an IPv4-mapped one.
    const address = isIP(key) ? key : remoteAddress;
    const family = isIP(address);
    if (family !== 0 && exempted.check(address, family === 6 ? 'ipv6' : 'ipv4')) return;
    const count = (open.get(key) ?? 0) + 1;
    open.set(key, count);
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
    if (count <= perAddress) return;
    socket.destroy();
    onClosed();
  });
}
