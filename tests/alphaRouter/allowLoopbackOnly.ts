import { type NetConnectOpts, Socket } from 'node:net';

/** Rejects every connection of this process to another machine: the router's default providers ask public services. */
export function allowLoopbackOnly(): void {
  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const [first] = args.flat() as [NetConnectOpts | number | string, ...unknown[]];
    const host = typeof first === 'object' && 'host' in first ? first.host : undefined;
    if (host !== undefined && !['127.0.0.1', 'localhost', '::1'].includes(host)) {
      throw new Error(`The proof asks ${host}; it may use this machine's chain alone.`);
    }
    return connect.apply(this, args);
  } as typeof Socket.prototype.connect;
}
