/** A message of an export of Telegram Desktop as HTML. */
export interface HtmlExportMessage {
  id: number;
  /** `13.06.2024 15:04:05 UTC+03:00` */
  title: string;
  /** Left out if the message is joined to the one before. */
  from?: string;
  forwardedFrom?: string;
  /** As HTML. */
  text?: string;
  replyTo?: string;
  media?: string;
  reactions?: string;
}

export function escaped(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
    '\n': '<br>',
  };
  return text.replaceAll(/[&<>"'\n]/g, (sign) => names[sign] ?? sign);
}

export function htmlMessage(message: HtmlExportMessage): string {
  const { id, title, from, forwardedFrom, text, replyTo, media, reactions } = message;
  const content = [
    replyTo === undefined
      ? ''
      : div('reply_to details', `In reply to <a href="${replyTo}" onclick="return GoToMessage(1)">this message</a>`),
    media === undefined ? '' : div('media_wrap clearfix', media),
    text === undefined ? '' : div('text', text),
    reactions ?? '',
  ].join('');
  const date = `\n       <div class="pull_right date details" title="${title}">\n15:04\n       </div>\n`;
  const forwarded =
    forwardedFrom === undefined
      ? content
      : div(
          'forwarded body',
          div('from_name', `${escaped(forwardedFrom)}<span class="date details" title="${title}"> ${title}</span>`) +
            content,
        );
  return `
     <div class="message default clearfix${from === undefined ? ' joined' : ''}" id="message${id}">
${from === undefined ? '' : div('pull_left userpic_wrap', '<div class="userpic userpic1"><div class="initials">A</div></div>')}
      <div class="body">${date}${from === undefined ? '' : div('from_name', `${escaped(from)} `)}${forwarded}
      </div>
     </div>
`;
}

export function htmlService(id: number, html: string): string {
  return `\n     <div class="message service" id="message${id}">\n      <div class="body details">\n${html}\n      </div>\n     </div>\n`;
}

/** `next` is the page that follows. */
export function htmlPage(name: string, messages: readonly string[], next?: string): string {
  const more =
    next === undefined ? '' : `\n     <a class="pagination block_link" href="${next}">\nNext messages\n     </a>\n`;
  return `<!DOCTYPE html>
<html>
 <head>
  <meta charset="utf-8"/>
<title>Exported Data</title>
  <link href="css/style.css" rel="stylesheet"/>
 </head>
 <body onload="CheckLocation();">
  <div class="page_wrap">
   <div class="page_header">
    <div class="content">
     <div class="text bold">
${escaped(name)}
     </div>
    </div>
   </div>
   <div class="page_body chat_page">
    <div class="history">
${messages.join('')}${more}
    </div>
   </div>
  </div>
 </body>
</html>
`;
}

function div(classes: string, inner: string): string {
  return `\n       <div class="${classes}">\n${inner}\n       </div>\n`;
}
