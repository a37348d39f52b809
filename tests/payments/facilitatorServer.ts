import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { createNonceManager, jsonRpc } from 'viem/nonce';

export type Path = '/verify' | '/settle' | '/supported';

/** A fault of one request. With `after: true` the facilitator first executes the request. */
export type FacilitatorFault =
  | { kind: 'drop' | 'hang' | 'html'; after?: boolean }
  | { kind: 'slow'; ms: number }
  | { kind: 'respond'; status?: number; body: unknown; after?: boolean };

export interface FacilitatorServer {
  url: string;
  requests: { path: Path; headers: IncomingMessage['headers'] }[];
  /** Selects the fault of a request. `target` is the whole requested path, which may contain a replica's number. */
  fault: (path: Path, target: string) => FacilitatorFault | undefined;
  close(): Promise<void>;
}

/** The published facilitator on one EVM network. */
export function createEvmFacilitator(network: `eip155:${number}`, rpcUrl: string, key: Hex): x402Facilitator {
  const account = privateKeyToAccount(key, { nonceManager: createNonceManager({ source: jsonRpc() }) });
  const chain = { ...base, id: Number(network.slice(7)) };
  const client = createWalletClient({ account, chain, transport: http(rpcUrl), pollingInterval: 20 }).extend(
    publicActions,
  );
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as never);
  return new x402Facilitator().register(network, new ExactEvmScheme(signer));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
}

/** The published facilitator over HTTP on loopback, with injected faults. */
export async function startFacilitatorServer(x402: x402Facilitator): Promise<FacilitatorServer> {
  async function execute(path: Path, body: Record<string, unknown>): Promise<unknown> {
    if (path === '/supported') return x402.getSupported();
    const [payload, terms] = [body.paymentPayload as PaymentPayload, body.paymentRequirements as PaymentRequirements];
    return path === '/verify' ? x402.verify(payload, terms) : x402.settle(payload, terms);
  }

  async function respondWith(fault: FacilitatorFault, response: ServerResponse): Promise<void> {
    if (fault.kind === 'hang') return;
    if (fault.kind === 'drop') return void response.destroy();
    if (fault.kind === 'html') {
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    }
    if (fault.kind === 'respond') {
      response.writeHead(fault.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(fault.body));
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = `/${new URL(request.url ?? '', 'http://x').pathname.split('/').at(-1)}` as Path;
    const body = await readJson(request);
    facilitator.requests.push({ path, headers: request.headers });
    const fault = facilitator.fault(path, request.url ?? '');
    if (fault && fault.kind !== 'slow' && !fault.after) return respondWith(fault, response);
    const answer = await execute(path, body);
    if (fault?.kind === 'slow') await sleep(fault.ms);
    else if (fault) return respondWith(fault, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const facilitator: FacilitatorServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402/SECRET`,
    requests: [],
    fault: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return facilitator;
}
