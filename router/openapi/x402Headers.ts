import { z } from 'zod';

// Decoded payment headers of x402 v2, scheme exact, published so that a client needs no other specification.
// Source: the x402 specification, version 2.

export const requirement = z
  .looseObject({
    scheme: z.literal('exact').meta({ description: 'The x402 scheme: the payer transfers exactly `amount`.' }),
    network: z.string().meta({ description: 'CAIP-2 id of the network to pay on, e.g. eip155:8453.' }),
    amount: z.string().regex(/^\d+$/).meta({ description: 'Base units of the asset; USDC has 6 decimals.' }),
    asset: z.string().meta({ description: 'USDC: contract address on EVM networks, mint on Solana.' }),
    payTo: z.string().meta({ description: 'Address that receives the payment.' }),
    maxTimeoutSeconds: z.int().meta({ description: 'Maximum validity of the signature, in seconds.' }),
    extra: z.looseObject({}).meta({
      description:
        "EVM: name and version of the asset's EIP-712 domain. Solana: feePayer. paymentFlow upfront: the payment settles before the answer is computed.",
    }),
  })
  .meta({ description: 'A payment option: network, asset, amount and recipient.' });

export const resource = z
  .looseObject({
    url: z.string().meta({ description: 'Absolute URL of the paid resource.' }),
    description: z.string().optional().meta({ description: 'Short description of the resource.' }),
    mimeType: z.string().optional().meta({ description: 'Media type of the response.' }),
    serviceName: z.string().optional().meta({ description: 'Name of the service.' }),
  })
  .meta({ description: 'The paid resource.' });

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
};

/** PAYMENT-REQUIRED, decoded. */
export const paymentOffer = z
  .looseObject({
    x402Version: z.literal(2).meta({ description: 'The protocol: x402 v2.' }),
    error: z.string().meta({ description: 'Reason of the 402; after a payment, a stable x402 reason.' }),
    resource,
    accepts: z
      .array(requirement)
      .min(1)
      .meta({ description: 'The payment options. Choose one; their order has no meaning.' }),
    extensions: z
      .looseObject({})
      .optional()
      .meta({ description: 'bazaar: describes the call for indexers. PAYMENT-SIGNATURE may repeat or omit it.' }),
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
    from: z.string().meta({ description: 'Address of the payer.' }),
    to: z.string().meta({ description: 'The recipient: must equal accepted.payTo.' }),
    value: z.string().meta({ description: 'Base units: must equal accepted.amount.' }),
    validAfter: z.string().meta({ description: 'Unix seconds from which the payment is valid. 0: at once.' }),
    validBefore: z
      .string()
      .meta({ description: 'Unix seconds at which the payment expires: now + accepted.maxTimeoutSeconds.' }),
    nonce: z.string().meta({ description: '32 random bytes as hex with 0x. Must be unique for each payment.' }),
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
            signature: z
              .string()
              .meta({ description: 'EIP-712 signature of the authorization: 65 bytes as hex with 0x.' }),
          })
          .meta({ description: 'Payment on an EVM network.' }),
        z
          .object({
            transaction: z.string().meta({
              description: 'v0 transaction in base64; the signature of the fee payer is empty.',
              examples: ['AQAAAA…'],
            }),
          })
          .meta({ description: 'Payment on Solana.' }),
      ])
      .meta({ description: 'The signed transfer of USDC.' }),
    resource: resource.optional(),
    extensions: z.looseObject({}).optional().meta({ description: 'The extensions of the offer, repeated. Optional.' }),
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
    success: z
      .boolean()
      .meta({ description: 'Whether the request was served: the payment settled, or the call was free.' }),
    transaction: z
      .string()
      .meta({ description: 'Hash or signature of the settlement; empty when nothing was settled.' }),
    network: z.string().meta({ description: 'CAIP-2 id of the payment network.' }),
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
    extra: z.looseObject({}).optional().meta({ description: '{"freeTrial": true} on a free call.' }),
    extensions: z.looseObject({}).optional().meta({
      description:
        'offer-receipt.info.receipt: a signed receipt, if `x-receipts` of this document contains a key. Only paid answers include it; a replay includes the same receipt.',
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
