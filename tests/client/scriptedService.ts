import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Step = 'hang up' | { status: number; body?: unknown; headers?: Record<string, string>; raw?: string };

export interface ScriptedService {
  url: string;
  /** PAYMENT-SIGNATURE of each request, in order; undefined for a request without one. */
  signatures: (string | undefined)[];
  bodies: string[];
  close(): Promise<void>;
}

export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

export const offer = (amount = '20000', network = 'eip155:8453', name = 'USD Coin') => ({
  x402Version: 2,
  error: 'Payment required',
  resource: { url: 'http://service.test/v1/quote' },
  accepts: [
    {
      scheme: 'exact',
      network,
      amount,
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      maxTimeoutSeconds: 120,
      extra: { name, version: '2', paymentFlow: 'upfront' },
    },
  ],
});

/** A 402 with one payment option. */
export const unpaid = (amount?: string, network?: string, name?: string): Step => ({
  status: 402,
  headers: { 'payment-required': encode(offer(amount, network, name)) },
  body: { code: 'PAYMENT_REQUIRED', status: 402, detail: 'Pay.', firstCall: 'free' },
});

/** A 200 with a receipt. */
export const paid = (body: unknown, receipt: object = {}): Step => ({
  status: 200,
  headers: {
    'payment-response': encode({
      success: true,
      transaction: '0xaa',
      network: 'eip155:8453',
      payer: '0xbb',
      ...receipt,
    }),
  },
  body,
});

/** An HTTP server that returns the steps in order, for faults that a real service does not produce. Then it hangs up. */
export function startScriptedService(steps: Step[]): Promise<ScriptedService> {
  return startRespondingService(() => steps.shift() ?? 'hang up');
}

interface ReceivedRequest {
  path: string;
  signature: string | undefined;
}

/** An HTTP server that chooses the step for each request. */
export async function startRespondingService(
  respond: (request: ReceivedRequest) => Step | Promise<Step>,
): Promise<ScriptedService> {
  const signatures: (string | undefined)[] = [];
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    const header = req.headers['payment-signature'];
    const signature = Array.isArray(header) ? header.join() : header;
    signatures.push(signature);
    bodies.push(await read(req));
    const step = await respond({ path: req.url ?? '', signature });
    if (step === 'hang up') {
      req.socket.destroy();
      return;
    }
    res.writeHead(step.status, { 'content-type': 'application/json', ...step.headers });
    res.end(step.raw ?? JSON.stringify(step.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signatures,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** What a PAYMENT-SIGNATURE lets its holder take, and until when. */
export function readPayment(signature: string): { network: string; units: number; validUntilMs: number; key: string } {
  const { accepted, payload } = JSON.parse(Buffer.from(signature, 'base64').toString());
  const { network } = accepted;
  if (payload.authorization) {
    const { value, validBefore, nonce } = payload.authorization;
    return { network, units: Number(value), validUntilMs: Number(validBefore) * 1000, key: nonce };
  }
  // A blockhash lives for 150 slots of 0.4 s, in practice up to 90 s.
  return { network, units: Number(accepted.amount), validUntilMs: Date.now() + 90_000, key: payload.transaction };
}

async function read(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
