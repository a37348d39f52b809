import { authorizationTypes } from '@x402/evm';
import fc from 'fast-check';
import { getAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { type ChainCall, ChainUnreachableError } from '../../server/payments/chainCall.ts';
import { decodeEnvelope, decodeStored } from '../../server/payments/decodePayment.ts';
import { MalformedPaymentError } from '../../server/payments/malformedPaymentError.ts';
import {
  authorizationDigest,
  domainSeparator,
  recoverSigner,
} from '../../server/payments/networks/evm/authorization.ts';
import { authorizationForm } from '../../server/payments/networks/evm/authorizationForm.ts';
import { paidInReceipt } from '../../server/payments/networks/evm/paidInReceipt.ts';
import { readReceipt } from '../../server/payments/networks/evm/readReceipt.ts';
import { transferData } from '../../server/payments/networks/evm/simulateTransfer.ts';
import { unwrapSignature } from '../../server/payments/networks/evm/unwrapSignature.ts';
import { svmForm } from '../../server/payments/networks/svm/svmTransaction.ts';
import { paymentFingerprint } from '../../server/payments/paymentFingerprint.ts';
import { address, hexOf, hostileJson, hostileText, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

/** A node that returns this result, checked against the caller's schema like every payment call. */
const nodeReturning =
  (answer: unknown): ChainCall =>
  async (_method, _params, shape) => {
    const parsed = shape.safeParse(answer);
    if (!parsed.success) throw new ChainUnreachableError('no answer');
    return parsed.data;
  };

/** The result; undefined for a MalformedPaymentError. */
function readOrMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedPaymentError);
    expect((error as Error).message.length).toBeLessThan(300);
    return undefined;
  }
}

const authorization = fc.record({
  from: address,
  to: address,
  value: uint256.map(String),
  validAfter: uint256.map(String),
  validBefore: uint256.map(String),
  nonce: hexOf(64),
});
const accepted = fc.record({
  scheme: fc.constantFrom('exact', 'upto', '__proto__'),
  network: fc.constantFrom('eip155:8453', 'eip155:137', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'base:x'),
  amount: uint256.map(String),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: fc.integer({ min: 1, max: 300 }),
  extra: fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
});
const payload = fc.record({
  x402Version: fc.constant(2),
  accepted,
  payload: fc.record({ authorization, signature: hexOf(130) }),
  extensions: fc.option(fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), {
    nil: undefined,
  }),
});
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** The same JSON with reversed key order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

test('behavior: a payment has one canonical text for any key order, and the ledger returns it unchanged', () => {
  fc.assert(
    fc.property(payload, (sent) => {
      const envelope = decodeEnvelope(encode(sent));
      expect(decodeEnvelope(encode(reversed(sent))).canonicalPayload).toBe(envelope.canonicalPayload);
      expect(decodeStored(envelope.canonicalPayload)).toEqual(envelope);
      expect(JSON.parse(envelope.canonicalPayload)).toEqual(JSON.parse(JSON.stringify(sent)));
    }),
  );
});

const headers = fc.oneof(
  hostileJson.map(encode),
  fc.tuple(payload, fc.nat(40)).map(([sent, cut]) => encode(sent).slice(cut)),
  fc.tuple(payload, hostileJson).map(([sent, odd]) => encode({ ...sent, payload: odd })),
  fc.tuple(payload, hostileJson).map(([sent, odd]) => encode({ ...sent, accepted: odd })),
  fc
    .tuple(payload, fc.nat(3_000))
    .map(([sent, depth]) => encode({ ...sent, extensions: JSON.parse(`[${'['.repeat(depth)}${']'.repeat(depth)}]`) })),
  hostileText,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.nat(20_000).map((length) => 'A'.repeat(length)),
);

test('error: throws only MalformedPaymentError for any header', () => {
  fc.assert(
    fc.property(headers, (header) => {
      const envelope = readOrMalformed(() => decodeEnvelope(header));
      if (!envelope) return;
      readOrMalformed(() => authorizationForm.read(envelope.payload));
      readOrMalformed(() => svmForm.read(envelope.payload));
    }),
  );
  expect(Object.keys({})).toEqual([]);
  expect(({} as Record<string, unknown>).x402Version).toBeUndefined();
});

test('behavior: the key of an authorization depends on payer and nonce only, in any letter case', () => {
  fc.assert(
    fc.property(authorization, authorization, hexOf(130), hexOf(130), (one, other, signature, another) => {
      const terms = { network: 'eip155:8453' as const, asset: other.to };
      const keyOf = (read: object) => authorizationForm.keyOf(terms as never, authorizationForm.read(read as never));
      const key = keyOf({ authorization: one, signature });
      const upperNonce = { ...one, nonce: `0x${one.nonce.slice(2).toUpperCase()}`, value: other.value, to: other.to };
      const upperCase = { ...upperNonce, from: `0x${one.from.slice(2).toUpperCase()}` };
      for (const variant of [upperNonce, upperCase])
        expect(keyOf({ authorization: variant, signature: another })).toBe(key);
      // Every accepted authorization can be encoded into a call.
      expect(transferData(authorizationForm.read({ authorization: upperCase, signature }))).toMatch(/^0x[0-9a-f]+$/i);
      expect(keyOf({ authorization: { ...one, nonce: other.nonce }, signature }) === key).toBe(
        one.nonce.toLowerCase() === other.nonce.toLowerCase(),
      );
    }),
  );
});

test('behavior: accepts only whole decimals below 2^256 as numbers of an authorization', () => {
  const number = fc.oneof(
    uint256.map(String),
    fc.constantFrom(`${2n ** 256n}`, '-1', '01', '1e3', '0x1', '', ' 1', '1.0', '٣'),
    hostileText,
  );
  fc.assert(
    fc.property(authorization, number, hexOf(130), (good, value, signature) => {
      const read = readOrMalformed(() => authorizationForm.read({ authorization: { ...good, value }, signature }));
      const isNumber = /^(0|[1-9][0-9]*)$/.test(value) && BigInt(value) < 2n ** 256n;
      expect(read !== undefined).toBe(isNumber);
      if (read) expect(read.value).toBe(BigInt(value));
    }),
  );
});

const suffix = '6492'.repeat(16);

test('error: throws only MalformedPaymentError for any wrapped signature', () => {
  const words = fc.array(fc.oneof(uint256, fc.bigInt({ min: 0n, max: 300n })), { maxLength: 14 });
  fc.assert(
    fc.property(words, fc.nat(64), (values, cut) => {
      const inside = values.map((value) => value.toString(16).padStart(64, '0')).join('');
      readOrMalformed(() => unwrapSignature(`0x${inside.slice(0, -cut || undefined)}${suffix}`));
    }),
  );
});

test('error: throws only MalformedPaymentError for any bytes as a Solana transaction', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 1_300 }),
    // One signature and a short legacy message: valid enough to reach the later checks.
    fc.uint8Array({ maxLength: 300 }).map((rest) => Uint8Array.from([1, ...new Uint8Array(64), 1, 0, 1, 3, ...rest])),
    fc
      .uint8Array({ maxLength: 300 })
      .map((rest) => Uint8Array.from([1, ...new Uint8Array(64), 0x80, 1, 0, 1, 3, ...rest])),
  );
  fc.assert(
    fc.property(bytes, (raw) => {
      const read = readOrMalformed(() => svmForm.read({ transaction: Buffer.from(raw).toString('base64') }));
      if (read) expect(svmForm.keyOf({ network: 'solana:x' } as never, read)).toMatch(/^solana:x\|[0-9a-f]{64}$/);
    }),
  );
});

const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: `0x${'11'.repeat(20)}` as const };
const separator = domainSeparator(domain);
const payer = privateKeyToAccount(`0x${'42'.repeat(32)}`);

test('behavior: recovers the payer from its signature, and not after any bit of message or signature changes', async () => {
  await fc.assert(
    fc.asyncProperty(authorization, fc.nat(519), fc.nat(5), async (wire, bit, field) => {
      const message = {
        ...wire,
        to: getAddress(wire.to.toLowerCase()),
        from: payer.address,
        value: BigInt(wire.value),
        validAfter: BigInt(wire.validAfter),
        validBefore: BigInt(wire.validBefore),
      };
      const signature = await payer.signTypedData({
        domain,
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message,
      });
      const payerAddress = payer.address.toLowerCase();
      const signed = { ...message, signature };
      expect(recoverSigner(authorizationDigest(separator, signed), signature)).toBe(payerAddress);
      const flipped = Buffer.from(signature.slice(2), 'hex');
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(recoverSigner(authorizationDigest(separator, signed), `0x${flipped.toString('hex')}`)).not.toBe(
        payerAddress,
      );
      const other = [
        { to: payer.address },
        { value: message.value ^ 1n },
        { validAfter: message.validAfter ^ 1n },
        { validBefore: message.validBefore ^ 1n },
        { nonce: `0x${'00'.repeat(32)}` as Hex },
        { from: message.to },
      ][field];
      expect(recoverSigner(authorizationDigest(separator, { ...signed, ...other }), signature)).not.toBe(payerAddress);
    }),
    { numRuns: 60 },
  );
});

test('behavior: only equal requests have the same fingerprint', () => {
  const attempt = fc.record({
    paid: fc.constantFrom('quote', 'pretradeCheck'),
    route: hostileText,
    queryKey: hostileText,
    canonicalInput: hostileText,
    paymentHeader: fc.constant(''),
  });
  fc.assert(
    fc.property(attempt, attempt, hostileText, hostileText, (one, other, first, second) => {
      const parts = (of: typeof one, text: string) => JSON.stringify([of.paid, of.route, of.queryKey, text]);
      const same = parts(one, first) === parts(other, second);
      const finger = paymentFingerprint(one as never, first);
      expect(finger).toMatch(/^v2:[0-9a-f]{64}$/);
      expect(finger === paymentFingerprint(other as never, second)).toBe(same);
      // Moving text between adjacent parts must change the fingerprint.
      const moved = { ...one, route: `${one.route}x` };
      expect(paymentFingerprint(moved as never, first)).not.toBe(finger);
    }),
  );
});

test('error: throws only ChainUnreachableError for any receipt; an accepted receipt can be evaluated', async () => {
  const hash = `0x${'ab'.repeat(32)}` as const;
  const odd = fc.oneof(hostileJson, hexOf(64), address, fc.constantFrom(hash, '0x1', '0x0', '0x', null));
  const log = fc.record(
    { address: odd, topics: fc.oneof(odd, fc.array(odd, { maxLength: 4 })), data: odd, logIndex: odd },
    { requiredKeys: [] },
  );
  const receipt = fc.record(
    {
      status: fc.oneof({ weight: 4, arbitrary: fc.constant('0x1') }, odd),
      transactionHash: fc.oneof({ weight: 4, arbitrary: fc.constant(hash) }, odd),
      blockNumber: fc.oneof({ weight: 4, arbitrary: fc.constant('0x10') }, odd),
      logs: fc.oneof(odd, fc.array(fc.oneof(odd, log), { maxLength: 3 })),
    },
    { noNullPrototype: true },
  );
  const payment = {
    ...{ from: payer.address, to: payer.address, value: 1n, validAfter: 0n, validBefore: 1n },
    ...{ nonce: hash, signature: hash },
  };
  await fc.assert(
    fc.asyncProperty(fc.oneof(odd, receipt), async (answer) => {
      const read = await readReceipt(nodeReturning(answer), hash).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ChainUnreachableError);
        return null;
      });
      if (read) expect(paidInReceipt(read, domain.verifyingContract, payment)).toBe(false);
    }),
  );
});
