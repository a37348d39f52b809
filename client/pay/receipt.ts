/** The cost and settlement of a call. */
export interface Receipt {
  /** CAIP-2 id of the network paid on. */
  network: string;
  /** Hash or signature of the settlement; empty when nothing was settled. */
  transaction: string;
  payer: string | undefined;
  /** 0 for the free first call of a wallet. */
  paidUsd: number;
  /** The wallet's free call: signed, and not settled. */
  free: boolean;
  /** The stored answer to an earlier, identical request. */
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

/** Reads PAYMENT-RESPONSE; undefined when there is none, or it is not JSON in base64. */
export function readSettlement(headers: Headers): SettleResponse | undefined {
  return decodeHeader(headers.get('payment-response')) as SettleResponse | undefined;
}

/** A header of base64 JSON. */
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
