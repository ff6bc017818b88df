import {
  type FolderEntry,
  type ImportedWorkflow,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from '@deckhand/contracts';
import { Button, FileInput, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { importN8n } from '../../api/workflows.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { i18n } from '../../language/i18n.ts';

/**
 * Asks for an export of n8n, creates an inactive workflow from it in the current folder, and shows what became of its
 * nodes.
 */
export function ImportN8n({
  workspaceId,
  folder,
  isOpen,
  onClose,
}: {
  workspaceId: string;
  folder: FolderEntry | undefined;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [file, setFile] = useState<File | null>(null);
  const [isInvalid, setInvalid] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const creation = useMutation({
    mutationFn: importN8n,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] }),
  });
  const close = (): void => {
    setFile(null);
    setInvalid(false);
    creation.reset();
    onClose();
  };
  const submit = async (): Promise<void> => {
    const workflow = file && parse(await file.text());
    setInvalid(!workflow);
    if (workflow) creation.mutate({ workspaceId, folderId: folder?.id ?? null, workflow });
  };
  const open = (workflowId: string): void => {
    close();
    void navigate({ to: '/w/$workspaceId/workflows/$workflowId', params: { workspaceId, workflowId } });
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size={creation.data ? 'xl' : 'md'}
      title={folder ? i18n.t('Import from n8n into {folder}', { folder: folder.name }) : i18n.t('Import from n8n')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      {creation.data ? (
        <ImportReport imported={creation.data} onOpen={open} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Stack>
            <FileInput
              label={i18n.t('Workflow')}
              description={i18n.t('The JSON file that n8n downloads')}
              accept=".json,application/json"
              required
              value={file}
              onChange={setFile}
              error={isInvalid && i18n.t('The file has no JSON object')}
            />
            <FormFooter
              error={creation.error}
              submit={i18n.t('Import')}
              isPending={creation.isPending}
              onCancel={close}
            />
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function parse(text: string): JsonObject | undefined {
  try {
    const value = parseExactJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const LEVELS = { converted: i18n.t('Converted'), review: i18n.t('Review'), manual: i18n.t('Manual') } as const;

/** What became of the nodes; those that were converted without a difference are counted only. */
function ImportReport({ imported, onOpen }: { imported: ImportedWorkflow; onOpen: (id: string) => void }) {
  const { id, notes, remarks } = imported;
  const open = notes.filter(({ level }) => level !== 'converted');
  const count = (level: keyof typeof LEVELS): number => notes.filter((note) => note.level === level).length;
  return (
    <Stack>
      <Text>
        {i18n.t(
          '{converted} converted, {review} to review, {manual} manual. Manual nodes are stubs: they fail, and have the original in their script.',
          { converted: count('converted'), review: count('review'), manual: count('manual') },
        )}
      </Text>
      {remarks.map((remark) => (
        <Text key={remark}>{i18n.t('The workflow {remark}.', { remark })}</Text>
      ))}
      {open.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{i18n.t('Node')}</Table.Th>
              <Table.Th>{i18n.t('Result')}</Table.Th>
              <Table.Th>{i18n.t('What to do')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {open.map(({ node, level, messages }) => (
              <Table.Tr key={node}>
                <Table.Td>{node}</Table.Td>
                <Table.Td>{LEVELS[level]}</Table.Td>
                <Table.Td>{messages.join('; ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Group justify="flex-end">
        <Button onClick={() => onOpen(id)}>{i18n.t('Open the workflow')}</Button>
      </Group>
    </Stack>
  );
}
