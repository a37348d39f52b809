import type { Engine, PretradeChecker, RpcEndpoint } from '../../engine/index.ts';

/** Pause between requests, shorter than servers and address translators keep idle connections. */
export const pauseMs = 20_000;
/** Connections are kept this long after the last paid call. */
const keptMs = 600_000;

/** An endpoint whose connection is kept. */
interface KeptEndpoint {
  endpoint: Pick<RpcEndpoint, 'send'>;
  /** A method without parameters that costs a node next to nothing. */
  method: 'eth_chainId' | 'getHealth';
}

export interface KeptConnections {
  /** Adds an endpoint of a chain or payment network. */
  add(name: string, kept: KeptEndpoint): void;
  /** A paid call used this chain or payment network. */
  used(name: string): void;
  close(): void;
}

/**
 * Keeps one connection to each node open while paid calls arrive: a new connection costs one to three round trips. Only paid
 * calls start it, so an unpaid request never causes a request to a node.
 */
export function keepConnections(now: () => number): KeptConnections {
  const endpoints = new Map<string, KeptEndpoint[]>();
  const usedAt = new Map<string, number>();
  const send = async ({ endpoint, method }: KeptEndpoint) => {
    try {
      await endpoint.send([{ method, params: [] }], { signal: AbortSignal.timeout(pauseMs) });
    } catch {
      // The next call finds out by itself and reports it.
    }
  };
  const timer = setInterval(() => {
    for (const [name, at] of usedAt) {
      if (now() - at >= keptMs) usedAt.delete(name);
      else for (const kept of endpoints.get(name) ?? []) void send(kept);
    }
  }, pauseMs).unref();
  return {
    add: (name, kept) => void endpoints.set(name, [...(endpoints.get(name) ?? []), kept]),
    used: (name) => void usedAt.set(name, now()),
    close: () => clearInterval(timer),
  };
}

/** Reports each quote and check of an engine: it runs paid calls only. */
export function notingUse<Port extends Pick<Engine, 'quote'> & Pick<PretradeChecker, 'check'>>(
  port: Port,
  { used }: Pick<KeptConnections, 'used'>,
): Port {
  return {
    ...port,
    quote: (query, options) => {
      used(query.chain);
      return port.quote(query, options);
    },
    check: (query, options) => {
      used(query.chain);
      return port.check(query, options);
    },
  };
}
