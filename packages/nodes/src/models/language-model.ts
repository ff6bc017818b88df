import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Credential, modelUrl } from '@deckhand/contracts';

/** The secret of a credential of type `model`. */
export type ModelSecret = Extract<Credential, { type: 'model' }>['secret'];

/**
 * Returns a model of a provider. Its client is loaded on first use: most workers call no model, or those of one
 * provider.
 */
export async function languageModel(
  secret: ModelSecret,
  modelId: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV4> {
  const { provider, apiKey = '' } = secret;
  const options = { baseURL: modelUrl(secret), apiKey, fetch };
  switch (provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(options)(modelId);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(options)(modelId);
    case 'mistral':
      return (await import('@ai-sdk/mistral')).createMistral(options)(modelId);
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(options)(modelId);
    case 'openaiCompatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const { apiKey: key, ...others } = options;
      return createOpenAICompatible({
        ...others,
        ...(key !== '' && { apiKey: key }),
        name: 'openaiCompatible',
        supportsStructuredOutputs: true,
      }).chatModel(modelId);
    }
  }
}
