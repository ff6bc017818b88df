import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { convertText, convertValue, isSingle } from '../../expressions/template.ts';
import type { Scope } from '../../expressions/scope.ts';
import { unsupported } from '../../unsupported.ts';
import { object, show } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete } from '../converter.ts';
import { reviewOthers } from '../triggers.ts';
import { askEach, type Parser, parserOf, promptOf } from './ask.ts';
import { type ChatModel, chatModelOf, NO_MODEL } from './chat-model.ts';
import { convertTools } from './tools.ts';

/** How often n8n asks the model of an agent at most, if its export does not say so. */
const MAX_ITERATIONS = 10;
/** How often an agent here may ask its model. */
const MAX_TURNS = 200;

const LEFT_OUT = 'it is left out: the model does not know what was said before';

/** What an agent is told. */
interface Instructions {
  readonly prompt: JsonValue;
  readonly systemMessage: JsonValue;
}

/** Asks a model, which may call tools before it answers. */
export function agentNode(conversion: Conversion): Converted {
  const { node, parameters, parts, review, input, notePart } = conversion;
  const { version } = node;
  const { agent = version < 1.6 ? 'conversationalAgent' : 'toolsAgent', options } = parameters;
  if (version < 2 && agent !== 'toolsAgent') return unsupported(`an agent of the type ${show(agent)}`);
  const model = chatModelOf(conversion);
  if (!model) return incomplete(conversion, NO_MODEL);
  const memory = parts.find(({ kind }) => kind === 'ai_memory')?.node.name;
  if (memory !== undefined) {
    review(`the memory "${memory}" is left out: the model does not know what was said before`);
    notePart(memory, { isStub: false, nodeIds: [], messages: [LEFT_OUT] });
  }
  const parser = parserOf(conversion, 0);
  const {
    systemMessage = version < 1.9 ? 'You are a helpful assistant' : '',
    returnIntermediateSteps,
    maxIterations = MAX_ITERATIONS,
    enableStreaming: __,
    batching: ___,
    passthroughBinaryImages: ____,
    ...others
  } = object(options);
  reviewOthers(others, review);
  if (input.files !== undefined) review('files of its item are not sent to the model; n8n sends images and texts');
  const told: Instructions = { prompt: promptOf(conversion), systemMessage };
  const steps = returnIntermediateSteps === true ? ', intermediateSteps: []' : '';
  const hasTools = parts.some(({ kind }) => kind === 'ai_tool');
  if (hasTools && steps !== '')
    review('intermediateSteps is an empty list here: the steps are in the records of the run');
  const item = parser ? parser.item.replace(/ \}$/, `${steps} }`) : `{ output: text${steps} }`;
  if (hasTools) return askWithTools(conversion, model, { ...told, maxIterations, item, ...(parser && { parser }) });
  return askEach(conversion, model, { ...parser, ask: (scope) => asked(told, scope), item });
}

function asked({ prompt, systemMessage }: Instructions, scope: Scope): JsonObject {
  return {
    ...(systemMessage !== '' && { system: convertText(systemMessage, scope) }),
    prompt: convertText(prompt, scope),
  };
}

function askWithTools(
  conversion: Conversion,
  model: ChatModel,
  given: Instructions & { readonly maxIterations: JsonValue; readonly item: string; readonly parser?: Parser },
): Converted {
  const { review } = conversion;
  const { maxIterations, item, parser } = given;
  const tools = convertTools(conversion);
  const isText = typeof maxIterations === 'number' || isSingle(maxIterations);
  if (!isText) return unsupported('a number of iterations that is not a number');
  review('an agent that is not done after its last turn fails; in n8n it may return a text that says so');
  const maxTurns = (scope: Scope): JsonValue =>
    typeof maxIterations === 'number'
      ? Math.min(Math.max(Math.floor(maxIterations), 1), MAX_TURNS)
      : convertValue(maxIterations, scope);
  return askEach(conversion, model, {
    ask: (scope) => ({ ...asked(given, scope), tools: [...tools.specs], maxTurns: maxTurns(scope) }),
    ...(parser && { schema: parser.schema }),
    item,
    tools,
  });
}
