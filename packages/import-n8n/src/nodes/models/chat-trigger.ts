import { unsupported } from '../../unsupported.ts';
import { object, show } from '../../workflow.ts';
import { type Conversion, type Converted, outputOf, single } from '../converter.ts';
import { reviewOthers } from '../triggers.ts';

/** Options that are about the page of the chat alone. */
const PAGE = new Set([
  ...['allowedOrigins', 'inputPlaceholder', 'showWelcomeScreen', 'getStarted', 'subtitle', 'title', 'customCss'],
  ...['autoSaveHighlightedData', 'loadPreviousSession', 'responseMode', 'allowFileUploads', 'allowedFilesMimeTypes'],
]);

/** A message of a chat starts a run; here its caller sends it. */
export function chatTrigger({ id, node, parameters, parts, review, notePart }: Conversion): Converted {
  const { public: isPublic = false, options } = parameters;
  const { responseMode = 'lastNode', allowFileUploads = false, ...others } = object(options);
  const page = isPublic === true ? 'n8n has a page with a chat' : 'n8n has a chat in its editor';
  review(
    `${page}: here a run is started by hand or through the API, with { "sessionId": "…", "action": "sendMessage", "chatInput": "…" }`,
  );
  if (isPublic === true && (parameters.authentication ?? 'none') !== 'none') {
    review(`who starts a run signs in to the API; in n8n ${show(parameters.authentication)}`);
  }
  if (responseMode === 'responseNodes') return unsupported('a chat that nodes respond to while the run goes on');
  if (responseMode === 'lastNode' || responseMode === 'streaming') {
    review('the chat shows what the last node returned; here it is in the run');
  }
  if (allowFileUploads === true) review('files of messages are left out');
  reviewOthers(Object.fromEntries(Object.entries(others).filter(([name]) => !PAGE.has(name))), review);
  for (const { kind, node: memory } of parts) {
    if (kind === 'ai_memory') {
      notePart(memory.name, {
        isStub: false,
        nodeIds: [],
        messages: ['it is left out: earlier messages are not shown'],
      });
    }
  }
  return single({ id, type: 'trigger.manual', name: node.name }, outputOf(id, 'one'));
}
