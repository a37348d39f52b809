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
 * `message:send` of A2A's HTTP+JSON transport, without tasks: the answer is a message. Payment is x402's HTTP transport,
 * in the headers of the same request. A call has the endpoint of its REST path, so a payment begun here may be finished
 * there. Errors have the body of every other error.
 */
export function sendMessage(deps: Omit<PaidCallDeps, 'requestId' | 'client'>): RequestHandler {
  return async (req, res) => {
    const request = readMessage(parseJson(req.get('content-type'), bytesOf(req)));
    const { requestId } = localsOf(res);
    const call = { ...deps, requestId, client: keyOf(req.ip) };
    const response = await callPaid(request.item, request.input, req.get('payment-signature'), call);
    if (response.status !== 200) return sendJson(res, response);
    const body = JSON.stringify({ message: toReply(request, JSON.parse(response.body)) });
    sendJson(res, { ...response, headers: { ...response.headers, 'Content-Type': jsonType }, body });
  };
}

/** The answer in the form in which the request came. */
function toReply({ form, contextId }: SkillRequest, data: unknown) {
  const common = { messageId: randomUUID(), ...(contextId && { contextId }) };
  return form === 'parts'
    ? { kind: 'message', role: 'agent', ...common, parts: [{ kind: 'data', data }] }
    : { role: 'ROLE_AGENT', ...common, content: [{ data: { data } }] };
}
