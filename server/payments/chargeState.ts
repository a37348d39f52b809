import type { PaymentRow } from './ledger/ledgerTypes.ts';

/**
 * What a refusal states about the charge: the member `charged` of its body, and the sentence in its `detail`. Both come
 * from one table, so that they cannot contradict each other.
 */
export interface ChargeState {
  /** `false`: not charged, and not settled unless it is sent again. `null`: not known yet. */
  charged: boolean | null;
  sentence: string;
}

export const chargeStates = {
  /** No node and no facilitator has seen the payment, or the chain refuses it and shows that it is unused. */
  nothing: { charged: false, sentence: 'Nothing was charged.' },
  /** Not charged. Not "Nothing was charged": a node has seen the payment and could broadcast it. */
  seenByNode: { charged: false, sentence: 'This request charged nothing.' },
  /** Not charged by this service. Not "Nothing was charged": its status was not read, and a third party may have sent it. */
  statusUnread: { charged: false, sentence: 'This request charged nothing.' },
  /** Not charged, and the wallet has not used its free call. */
  keepsFreeCall: { charged: false, sentence: 'Nothing was charged, and the wallet keeps its free call.' },
  /** Not charged; the wallet's free call was answered. */
  freeCallAnswered: { charged: false, sentence: 'You were answered, and nothing was charged.' },
  /** An earlier use of the payment may have moved money. */
  mayHavePaid: {
    charged: null,
    sentence: 'An earlier use of this payment may have been charged. This request charged nothing.',
  },
  /** Sent and failed. A third party or a reorganisation may still have it included. */
  mayStillPay: {
    charged: null,
    sentence: 'Until this payment expires, a block can still include it; then it may have been charged.',
  },
  /** Sent, with an unknown outcome. */
  unknown: { charged: null, sentence: 'It may have been charged, at most once.' },
  /** Settled, and not answered yet. */
  credit: { charged: true, sentence: 'You were charged and keep the credit. It is not charged again.' },
  /** Settled and answered. */
  answered: { charged: true, sentence: 'You were charged and answered.' },
  /** Settled for another request. This one charged nothing. */
  chargedElsewhere: { charged: true, sentence: 'You were charged for that request. This request charged nothing.' },
  /** Another payment with the same identifier may have moved money. */
  otherMayHavePaid: {
    charged: null,
    sentence: 'That payment may have been charged. This request charged nothing.',
  },
} as const satisfies Record<string, ChargeState>;

/** What is known about a payment that this attempt did not send. */
export const unsentState = ({ mayStillPay }: PaymentRow): ChargeState =>
  mayStillPay ? chargeStates.mayHavePaid : chargeStates.seenByNode;

/** What is known about a recorded payment that this request does not settle. */
export function chargeStateOf(row: PaymentRow | undefined): ChargeState {
  if (!row) return chargeStates.nothing;
  const { state, trialGroup } = row;
  if (trialGroup !== undefined)
    return state === 'answered' ? chargeStates.freeCallAnswered : chargeStates.keepsFreeCall;
  if (state === 'settled') return chargeStates.credit;
  if (state === 'answered') return chargeStates.answered;
  if (state !== 'refused') return chargeStates.mayHavePaid;
  // A transaction that was sent for it may still be included after a reorganisation.
  return unsentState(row);
}

/**
 * What is known about a payment that was not settled because another payment has its identifier: about both of them.
 *
 * @param own the ledger row of the payment itself
 * @param owner the payment that has the identifier
 */
export function identifierState(own: PaymentRow | undefined, owner: PaymentRow | undefined): ChargeState {
  const ownState = own ? chargeStateOf(own) : chargeStates.seenByNode;
  if (ownState.charged !== false) return ownState;
  const { charged } = chargeStateOf(owner);
  if (charged === false) return chargeStates.seenByNode;
  return charged ? chargeStates.chargedElsewhere : chargeStates.otherMayHavePaid;
}
