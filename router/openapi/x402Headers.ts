import { z } from 'zod';

// Decoded payment headers of x402 v2, scheme exact. Published so that a client can be written from the document alone.
// Source: the x402 specification, version 2.

export const requirement = z
  .looseObject({
    scheme: z.literal('exact').meta({ description: 'The amount is exact, neither more nor less.' }),
    network: z.string().meta({ description: 'CAIP-2 id of the network to pay on, e.g. eip155:8453.' }),
    amount: z.string().regex(/^\d+$/).meta({ description: 'Base units of the asset; USDC has 6 decimals.' }),
    asset: z.string().meta({ description: 'USDC: contract address on EVM networks, mint on Solana.' }),
    payTo: z.string().meta({ description: 'Who is paid.' }),
    maxTimeoutSeconds: z.int().meta({ description: 'Let the signature be valid for this long.' }),
    extra: z.looseObject({}).meta({
      description:
        "EVM: name and version of the asset's EIP-712 domain. Solana: feePayer. paymentFlow upfront: settled before the work.",
    }),
  })
  .meta({ description: 'One way to pay.' });

export const resource = z
  .looseObject({
    url: z.string().meta({ description: 'Absolute address of what is paid for.' }),
    description: z.string().optional().meta({ description: 'What it is.' }),
    mimeType: z.string().optional().meta({ description: 'What it answers.' }),
    serviceName: z.string().optional().meta({ description: 'The service that sells it.' }),
    tags: z.array(z.string()).optional().meta({ description: 'Topics, for directories.' }),
    iconUrl: z.string().optional().meta({ description: 'Absolute address of an icon.' }),
  })
  .meta({ description: 'What is paid for.' });

export const exampleRequirement = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '20000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 180,
  extra: { name: 'USD Coin', version: '2', paymentFlow: 'upfront' },
} as const;

const exampleResource = {
  url: 'https://truefill.example/v1/quote',
  description: 'Executable quote for the full size',
  mimeType: 'application/json',
  serviceName: 'truefill',
  tags: ['defi', 'trading', 'quote'],
  iconUrl: 'https://truefill.example/assets/mark.svg',
};

/** PAYMENT-REQUIRED, decoded. */
export const paymentOffer = z
  .looseObject({
    x402Version: z.literal(2).meta({ description: 'The protocol: x402 v2.' }),
    error: z.string().meta({ description: 'Why the request was not served; a stable x402 reason after a payment.' }),
    resource,
    accepts: z.array(requirement).min(1).meta({ description: 'The ways to pay. Choose one; our order is no ranking.' }),
    extensions: z
      .looseObject({})
      .optional()
      .meta({ description: 'bazaar: how to call this, for indexers. May be echoed or left out.' }),
  })
  .meta({
    title: 'PaymentOffer',
    description: 'The PAYMENT-REQUIRED header, decoded. Authoritative about price and networks.',
    examples: [
      {
        x402Version: 2,
        error: 'Payment required',
        resource: exampleResource,
        accepts: [exampleRequirement],
        extensions: {},
      },
    ],
  });

const authorization = z
  .object({
    from: z.string().meta({ description: 'The payer.' }),
    to: z.string().meta({ description: 'accepted.payTo.' }),
    value: z.string().meta({ description: 'accepted.amount.' }),
    validAfter: z.string().meta({ description: 'Unix seconds; 0 will do.' }),
    validBefore: z.string().meta({ description: 'Unix seconds: now + accepted.maxTimeoutSeconds.' }),
    nonce: z.string().meta({ description: '0x and 32 random bytes as hex. Makes the payment one of a kind.' }),
  })
  .meta({ description: 'EIP-3009 TransferWithAuthorization.' });

/** PAYMENT-SIGNATURE, decoded. */
export const signedPayment = z
  .looseObject({
    x402Version: z.literal(2).meta({ description: 'The protocol: x402 v2.' }),
    accepted: requirement.meta({ description: 'The chosen entry of accepts[], unchanged.' }),
    payload: z
      .union([
        z
          .object({
            authorization,
            signature: z.string().meta({ description: '0x, 65 bytes: EIP-712 over the authorization.' }),
          })
          .meta({ description: 'On an EVM network.' }),
        z
          .object({
            transaction: z
              .string()
              .meta({ description: 'base64 v0 transaction, fee payer unsigned.', examples: ['AQAAAA…'] }),
          })
          .meta({ description: 'On Solana.' }),
      ])
      .meta({ description: 'The signed transfer of USDC.' }),
    resource: resource.optional(),
    extensions: z.looseObject({}).optional().meta({ description: 'What was offered, echoed; may be left out.' }),
  })
  .meta({
    title: 'SignedPayment',
    description: 'The PAYMENT-SIGNATURE header, decoded.',
    examples: [
      {
        x402Version: 2,
        accepted: exampleRequirement,
        payload: {
          authorization: {
            from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
            to: exampleRequirement.payTo,
            value: '20000',
            validAfter: '0',
            validBefore: '1795254782',
            nonce: `0x${'5c'.repeat(32)}`,
          },
          signature: `0x${'ab'.repeat(64)}1b`,
        },
        resource: exampleResource,
        extensions: {},
      },
    ],
  });

/** PAYMENT-RESPONSE, decoded. */
export const paymentReceipt = z
  .looseObject({
    success: z.boolean().meta({ description: 'Whether the payment is good for this answer.' }),
    transaction: z
      .string()
      .meta({ description: 'Hash or signature of the settlement; empty when nothing was settled.' }),
    network: z.string().meta({ description: 'CAIP-2 id of the network paid on.' }),
    payer: z.string().optional().meta({ description: 'The wallet that paid.' }),
    amount: z
      .string()
      .optional()
      .meta({ description: 'Base units; "0" on a free call.', examples: ['0'] }),
    errorReason: z
      .string()
      .optional()
      .meta({
        description: 'A stable x402 reason when success is false.',
        examples: ['invalid_exact_evm_insufficient_balance'],
      }),
    extra: z.looseObject({}).optional().meta({ description: 'freeTrial true on a free call.' }),
    extensions: z.looseObject({}).optional().meta({
      description:
        'offer-receipt.info.receipt: a signed receipt, where `x-receipts` of this document names a key. It comes with paid answers only, and a replay carries the same one.',
    }),
  })
  .meta({
    title: 'PaymentReceipt',
    description: 'The PAYMENT-RESPONSE header, decoded.',
    examples: [
      {
        success: true,
        transaction: `0x${'7e'.repeat(32)}`,
        network: 'eip155:8453',
        payer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      },
      {
        success: true,
        transaction: '',
        network: 'eip155:8453',
        payer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        amount: '0',
        extra: { freeTrial: true },
      },
      {
        success: false,
        transaction: '',
        network: 'eip155:8453',
        payer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        errorReason: 'invalid_exact_evm_insufficient_balance',
      },
    ],
  });
