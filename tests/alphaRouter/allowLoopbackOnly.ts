import { type NetConnectOpts, Socket } from 'node:net';

/** Rejects connections of this process to other machines: the router's default providers use public services. */
export function allowLoopbackOnly(): void {
  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const [first] = args.flat() as [NetConnectOpts | number | string, ...unknown[]];
    const host = typeof first === 'object' && 'host' in first ? first.host : undefined;
    if (host !== undefined && !['127.0.0.1', 'localhost', '::1'].includes(host)) {
      throw new Error(`Connection to ${host} rejected: the comparison may use only the local chain.`);
    }
    return connect.apply(this, args);
  } as typeof Socket.prototype.connect;
}
