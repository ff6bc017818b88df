import { Modal, Stack, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useState } from 'react';
import { issueAt, isAllAt } from '../../../forms/issue-at.ts';
import { FormFooter } from '../../../components/form-footer.tsx';
import { i18n } from '../../../language/i18n.ts';
import { isAboutDefinition } from '../model/issues.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';

/** Paths of issues that concern the comment. */
const COMMENT_PATHS: readonly string[] = ['comment'];

/** Asks for a comment on a version, which is shown in the list of versions, and saves the version. */
export function SaveWithComment() {
  const { model, versions } = useEditorSession();
  const isOpen = useEditor(({ dialog }) => dialog?.kind === 'comment');
  const save = useEditor((state) => state.save);
  const close = (): void => model.close('comment');
  const onClose = (): void => {
    close();
    model.forgetSave();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={i18n.t('Save with a comment')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <Comment
        // That of a save that was refused.
        initial={save.kind === 'failed' ? save.request.comment : ''}
        isPending={save.kind === 'pending'}
        error={save.kind === 'failed' && !isAboutDefinition(save.error) ? save.error : null}
        onCancel={onClose}
        onSave={(comment) => void versions.save(comment).then(close, () => undefined)}
      />
    </Modal>
  );
}

function Comment({
  initial,
  isPending,
  error,
  onCancel,
  onSave,
}: {
  initial: string;
  isPending: boolean;
  error: unknown;
  onCancel: () => void;
  onSave: (comment: string) => void;
}) {
  const [comment, setComment] = useState(initial);
  const save = (): void => onSave(comment);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack>
        <Textarea
          label={i18n.t('Comment')}
          description={i18n.t('Shown in the list of versions')}
          autosize
          minRows={3}
          maxRows={12}
          data-autofocus
          value={comment}
          error={issueAt(error, 'comment')}
          onChange={(event) => setComment(event.currentTarget.value)}
          onKeyDown={getHotkeyHandler([['mod+S', save]])}
        />
        <FormFooter
          error={isAllAt(error, COMMENT_PATHS) ? null : error}
          submit={i18n.t('Save')}
          isPending={isPending}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
