/** The cost and settlement of a call. */
export interface Receipt {
  /** CAIP-2 id of the payment network. */
  network: string;
  /** Transaction hash, or signature on Solana; empty if nothing was settled. */
  transaction: string;
  payer: string | undefined;
  /** US dollars; 0 for the free first call of a wallet. */
  paidUsd: number;
  /** Whether this was the wallet's free call: signed, but not settled. */
  free: boolean;
  /** Whether this is the stored answer to an earlier, identical request. */
  replayed: boolean;
}

interface SettleResponse {
  success?: boolean;
  transaction?: string;
  network?: string;
  payer?: string;
  errorReason?: string;
  extra?: { freeTrial?: boolean };
}

/** Decodes the PAYMENT-RESPONSE header; undefined if it is missing or not base64 JSON. */
export function readSettlement(headers: Headers): SettleResponse | undefined {
  return decodeHeader(headers.get('payment-response')) as SettleResponse | undefined;
}

/** Decodes a header of base64 JSON; undefined if it is missing or malformed. */
export function decodeHeader(value: string | null): unknown {
  if (value === null) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(value), (character) => character.charCodeAt(0))));
  } catch (error) {
    // `atob` throws DOMException, `JSON.parse` SyntaxError: the header is malformed.
    if (error instanceof DOMException || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function toReceipt(headers: Headers, priceUsd: number): Receipt {
  const settled = readSettlement(headers);
  const free = settled?.extra?.freeTrial === true;
  return {
    network: settled?.network ?? 'unknown',
    transaction: settled?.transaction ?? '',
    payer: settled?.payer,
    paidUsd: free ? 0 : priceUsd,
    free,
    replayed: headers.get('idempotent-replayed') === 'true',
  };
}
