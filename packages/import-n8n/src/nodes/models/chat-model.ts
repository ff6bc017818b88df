import type { JsonObject, JsonValue, NodeDefinition } from '@deckhand/contracts';
import type { Attachment } from '../../attachments.ts';
import { convertValue, isExpression, isSingle } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { lookup, type N8nNode, object, shortType, show, text } from '../../workflow.ts';
import type { Conversion } from '../converter.ts';
import { reviewOthers } from '../triggers.ts';

/** The name of n8n's package for language models. */
export const LANGCHAIN = '@n8n/n8n-nodes-langchain.';

/** What a node lacks that has no chat model. */
export const NO_MODEL = 'no model';

/** A language model, as the nodes that ask it need it. */
export interface ChatModel {
  /** Parameters of the `model` node. */
  readonly parameters: JsonObject;
  readonly retry?: NonNullable<NodeDefinition['retry']>;
  /** Whether n8n asks the provider for JSON, and reads the response as JSON. */
  readonly isJson: boolean;
}

/** What chat models of a type are here. */
interface Provider {
  readonly provider: string;
  /** The address that a credential has to name. */
  readonly baseUrl?: string;
  /** The parameter with the name of the model. */
  readonly parameter: string;
  /** What an export omits, by the first version that has it. */
  readonly defaults: readonly (readonly [number, string])[];
  /** What differs. */
  readonly note?: string;
}

const compatible = (baseUrl: string, model: string): Provider => ({
  provider: 'openaiCompatible',
  baseUrl,
  parameter: 'model',
  defaults: [[1, model]],
});

/** Chat models of n8n, one a row. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  lmChatOpenAi: { provider: 'openai', parameter: 'model', defaults: [[1, 'gpt-5-mini']] },
  lmChatAnthropic: {
    provider: 'anthropic',
    parameter: 'model',
    defaults: [
      [1, 'claude-3-sonnet-20240229'],
      [1.1, 'claude-3-5-sonnet-20240620'],
      [1.3, 'claude-sonnet-4-5-20250929'],
      [1.4, 'claude-sonnet-4-6'],
      [1.6, 'claude-sonnet-5'],
    ],
  },
  lmChatGoogleGemini: {
    provider: 'google',
    parameter: 'modelName',
    defaults: [
      [1, 'models/gemini-2.5-flash'],
      [1.1, 'models/gemini-3-flash-preview'],
    ],
  },
  lmChatMistralCloud: { provider: 'mistral', parameter: 'model', defaults: [[1, 'mistral-small']] },
  lmChatOpenRouter: compatible('https://openrouter.ai/api/v1', 'openai/gpt-4.1-mini'),
  lmChatGroq: compatible('https://api.groq.com/openai/v1', 'llama3-8b-8192'),
  lmChatDeepSeek: compatible('https://api.deepseek.com', 'deepseek-chat'),
  lmChatXAiGrok: compatible('https://api.x.ai/v1', 'grok-2-vision-1212'),
  lmChatAzureOpenAi: {
    ...{ provider: 'openaiCompatible', baseUrl: 'https://<resource>.openai.azure.com/openai/v1', parameter: 'model' },
    defaults: [],
    note: 'its model is the name of the deployment, which the API of Azure without a version takes, too; n8n calls the one with a version',
  },
  lmChatOllama: compatible('the address of Ollama, such as http://localhost:11434/v1', 'llama3.2'),
};

/** Returns a type without the name of n8n's package for language models. */
export function withoutPackage(type: string): string {
  return type.startsWith(LANGCHAIN) ? type.slice(LANGCHAIN.length) : shortType(type);
}

/** Options that limit the tokens of a response, by the names that chat models have for it. */
const TOKENS = ['maxTokens', 'maxOutputTokens', 'maxTokensToSample', 'numPredict'];
/** How long n8n waits before it sends a failed request again, in ms; twice as long each time. */
const DELAY_MS = 1_000;
/** Maximum number of attempts here. */
const MAX_ATTEMPTS = 10;

/**
 * Returns the chat model that is connected to a node, and notes what it needs; undefined without one, where n8n fails.
 * @throws UnsupportedError
 */
export function chatModelOf(conversion: Conversion): ChatModel | undefined {
  const { node, parts, review } = conversion;
  const [first, ...others] = parts.filter(({ kind }) => kind === 'ai_languageModel');
  if (!first) return undefined;
  if (others.length > 0 && conversion.parameters.needsFallback === true) {
    review(`the model "${others[0]?.node.name ?? ''}", which n8n asks if the first one fails, is left out`);
  }
  return readModel(conversion, first, node.name);
}

function readModel(conversion: Conversion, { node: model }: Attachment, owner: string): ChatModel {
  const { review } = conversion;
  const type = withoutPackage(model.type);
  const known = lookup(PROVIDERS, type) ?? unsupported(`a model of the type ${type}`);
  const { options, builtInTools } = model.parameters;
  if (Object.keys(object(builtInTools)).length > 0) return unsupported('tools that the provider of the model has');
  const { temperature, maxRetries, baseURL, responseFormat, textFormat, format, ...rest } = object(options);
  const tokens = TOKENS.map((name) => rest[name]).find((each) => each !== undefined);
  reviewOthers(Object.fromEntries(Object.entries(rest).filter(([name]) => !TOKENS.includes(name))), review);
  const { type: textType } = object([object(textFormat).textOptions].flat()[0]);
  const isJson = responseFormat === 'json_object' || textType === 'json_object' || format === 'json';
  if (textType === 'json_schema') return unsupported('a schema that the model has in its options');
  if (isJson) review('n8n has the provider respond with JSON (response_format); here the prompt alone asks for it');
  const { authentication = API_KEY } = model.parameters;
  if (type === 'lmChatAzureOpenAi' && authentication !== API_KEY) return unsupported('access by Azure Entra ID');
  if (known.note !== undefined) review(known.note);
  const { provider, baseUrl } =
    text(baseURL) === undefined || baseURL === OPENAI
      ? known
      : {
          provider: 'openaiCompatible',
          baseUrl: isExpression(baseURL) ? 'that its expression returns' : show(baseURL),
        };
  noteModelCredential(conversion, { node: model, provider, baseUrl });
  const attempts = typeof maxRetries === 'number' ? Math.min(Math.max(maxRetries, 0) + 1, MAX_ATTEMPTS) : 3;
  return {
    parameters: {
      model: nameOf(conversion, model, known, owner),
      ...settingOf(conversion, 'temperature', temperature),
      ...(tokens !== -1 && settingOf(conversion, 'maxOutputTokens', tokens)),
    },
    ...(attempts > 1 && { retry: { maxAttempts: attempts, delayMs: DELAY_MS, factor: 2 } }),
    isJson,
  };
}

/** How a chat model of Azure signs in by default. */
const API_KEY = 'azureOpenAiApi';
const OPENAI = 'https://api.openai.com/v1';

/** Notes which credential a `model` node needs. */
export function noteModelCredential(
  { review }: Pick<Conversion, 'review'>,
  { node, provider, baseUrl }: { node: N8nNode; provider: string; baseUrl?: string | undefined },
): void {
  const names = Object.values(object(node.original.credentials)).map((each) => show(object(each).name));
  const inN8n = names.length === 0 ? 'in n8n it has none' : `in n8n it is "${names.join(', ')}"`;
  const address = baseUrl === undefined ? '' : ` and the baseUrl ${baseUrl}`;
  review(`choose a credential of the type model with the provider ${provider}${address}: ${inN8n}`);
}

function nameOf(conversion: Conversion, model: N8nNode, { parameter, defaults }: Provider, owner: string): JsonValue {
  const given = model.parameters[parameter];
  const named = text(given) ?? text(object(given).value) ?? defaults.findLast(([from]) => model.version >= from)?.[1];
  if (named === undefined) return unsupported(`"${model.name}", the model of "${owner}", has no name`);
  return evaluatedOnce(conversion, isExpression(named) ? named : named.replace(/^models\//, ''));
}

function settingOf(conversion: Conversion, name: string, value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === '') return {};
  if (typeof value !== 'number' && !isSingle(value)) return unsupported(`${name} that is not a number`);
  return { [name]: evaluatedOnce(conversion, value) };
}

/**
 * Returns a parameter of a node that belongs to another one: n8n evaluates its expressions for the first item.
 * @throws UnsupportedError
 */
function evaluatedOnce({ scope, input }: Conversion, value: JsonValue): JsonValue {
  const converted = convertValue(value, scope);
  if (input.shape === 'list' && JSON.stringify(converted).includes('$loop')) {
    return unsupported('the item of an outer loop, inside an inner one');
  }
  return converted;
}
