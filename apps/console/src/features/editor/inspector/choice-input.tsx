import type { ConnectorChoice, JsonValue, ListChoicesBody } from '@deckhand/contracts';
import { Button, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { choicesQuery } from '../../../api/connectors.ts';
import { markCode } from '../../../components/mark-code.tsx';
import { FieldInput, type FieldInputProps } from '../../../forms/field-input.tsx';
import { fromText, isExpression, toText } from '../../../forms/values.ts';
import { i18n } from '../../../language/i18n.ts';

/** How long typing is gathered before a search, in ms: each is a request to the service. */
const DELAY_MS = 400;
/** Maximum length of a search. */
const MAX_SEARCH = 200;

/**
 * A field whose choices its service lists: once they are opened, and by what is typed. What is not a choice, such as an
 * id or an expression, is taken as well.
 * @param request the field; null while it cannot be listed, because the node has no credential.
 */
export function ChoiceInput({
  request,
  ...props
}: FieldInputProps & { request: Omit<ListChoicesBody, 'search' | 'cursor'> | null }) {
  if (isExpression(props.value) || !request) return <FieldInput {...props} />;
  return <ListedInput {...props} request={request} />;
}

function ListedInput({
  field: { label, description, isRequired, kind },
  value,
  onChange,
  request,
}: FieldInputProps & { request: Omit<ListChoicesBody, 'search' | 'cursor'> }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<ConnectorChoice | undefined>(undefined);
  const text = typed.trim().slice(0, MAX_SEARCH);
  const [search] = useDebouncedValue(text, DELAY_MS);
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...choicesQuery({ ...request, ...(search !== '' && { search }) }),
    enabled: isOpen,
  });
  const choices = data?.pages.flatMap((page) => page.data) ?? [];
  const present = toText(value ?? undefined);
  const listed = choices.find((choice) => String(choice.value) === present);
  // A search may not find it: its label stays in the field.
  if (listed && (chosen?.value !== listed.value || chosen.label !== listed.label)) setChosen(listed);
  const options = optionsOf(choices, listed ?? chosen, value, text);
  const take = (given: string): JsonValue | undefined => (kind.kind === 'number' ? fromText(given) : given);
  return (
    <Stack gap={4}>
      <Select
        label={label}
        description={markCode(description)}
        required={isRequired}
        searchable
        clearable
        placeholder={i18n.t('Choose, or type a value')}
        nothingFoundMessage={isFetching ? i18n.t('Reading the choices…') : i18n.t('No choice has this name')}
        error={error?.message}
        data={options}
        // The service has searched already, and what is typed is a choice, too.
        filter={({ options }) => options}
        value={value === undefined || value === null ? null : toText(value)}
        onDropdownOpen={() => setOpen(true)}
        onDropdownClose={() => setOpen(false)}
        onSearchChange={(next) => {
          // The label of the value is in the field until something else is typed.
          const isLabel = options.some((option) => option.value === present && option.label === next);
          setTyped(isLabel ? '' : next);
          if (isExpression(next)) onChange(next);
        }}
        onChange={(next) => {
          const choice = choices.find((one) => String(one.value) === next);
          setChosen(choice);
          onChange(next === null ? undefined : (choice?.value ?? take(next)));
        }}
      />
      {hasNextPage && (
        <Button variant="subtle" size="compact-xs" loading={isFetching} onClick={() => void fetchNextPage()}>
          {i18n.t('Read more choices')}
        </Button>
      )}
    </Stack>
  );
}

/** Returns what the list shows, each value once: the choices, the present value, and what was typed. */
function optionsOf(
  choices: readonly ConnectorChoice[],
  chosen: ConnectorChoice | undefined,
  value: JsonValue | undefined,
  typed: string,
): { readonly value: string; readonly label: string }[] {
  const options = new Map(choices.map((choice) => [String(choice.value), choice.label]));
  const present = toText(value ?? undefined);
  if (present !== '' && !options.has(present))
    options.set(present, String(chosen?.value) === present && chosen ? chosen.label : present);
  if (typed !== '' && !options.has(typed)) options.set(typed, i18n.t('Use “{text}”', { text: typed }));
  return [...options].map(([key, label]) => ({ value: key, label }));
}
