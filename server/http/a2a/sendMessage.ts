import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { bytesOf } from '../body.ts';
import { callPaid, type PaidCallDeps } from '../callPaid.ts';
import { jsonType, sendJson } from '../errorResponse.ts';
import { keyOf } from '../limits/addressLimit.ts';
import { localsOf } from '../locals.ts';
import { parseJson } from '../readBody.ts';
import { readMessage, type SkillRequest } from './readMessage.ts';

/**
 * Serves `message:send` of A2A's HTTP+JSON transport, without tasks: the answer is a message. Payment uses the headers of
 * x402's HTTP transport. The payment endpoint is that of the REST path, so a client can retry there with the same payment.
 * Errors have the usual error body.
 */
export function sendMessage(deps: Omit<PaidCallDeps, 'requestId' | 'client'>): RequestHandler {
  return async (req, res) => {
    const request = readMessage(parseJson(req.get('content-type'), bytesOf(req)));
    const { requestId, countForWallet } = localsOf(res);
    const call = { ...deps, requestId, countForWallet, client: keyOf(req.ip) };
    const response = await callPaid(request.item, request.input, req.get('payment-signature'), call);
    if (response.status !== 200) return sendJson(res, response);
    const body = JSON.stringify({ message: toReply(request, JSON.parse(response.body)) });
    sendJson(res, { ...response, headers: { ...response.headers, 'Content-Type': jsonType }, body });
  };
}

/** The answer in the form of the request. */
function toReply({ form, contextId }: SkillRequest, data: unknown) {
  const common = { messageId: randomUUID(), ...(contextId && { contextId }) };
  return form === 'parts'
    ? { kind: 'message', role: 'agent', ...common, parts: [{ kind: 'data', data }] }
    : { role: 'ROLE_AGENT', ...common, content: [{ data: { data } }] };
}
